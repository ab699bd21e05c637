//! Unpacking DEFLATE (RFC 1951) and gzip (RFC 1952).
//!
//! Manuals are small and read seldom, so a decoder of a page does. Every step takes at least one bit of the input, and the
//! output is bounded.

/// The data of all members of a gzip file; `None` if it is damaged, or unpacks to more than `most` bytes.
pub(crate) fn gunzip(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() {
        let data = rest.get(header(rest)?..)?;
        let before = unpacked.len();
        let length = inflate(data, &mut unpacked, most)?;
        let trailer = data.get(length..length + 8)?;
        let size = u32::from_le_bytes(trailer[4..].try_into().ok()?);
        if size as usize != (unpacked.len() - before) & 0xffff_ffff {
            return None;
        }
        rest = &data[length + 8..];
    }
    Some(unpacked)
}

/// The length of the header of a gzip member.
fn header(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3).filter(|_| bytes.starts_with(&[0x1f, 0x8b, 8]))?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(*bytes.get(at)?) + usize::from(*bytes.get(at + 1)?) * 256;
    }
    // The name of the file, and a comment.
    for _ in 0..(flags >> 3 & 1) + (flags >> 4 & 1) {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
    }
    Some(at + if flags & 2 != 0 { 2 } else { 0 })
}

/// Appends what `packed` begins with to `unpacked`, and gives the number of bytes that this took. `None` if it is damaged, or
/// `unpacked` would be longer than `most`.
pub(crate) fn inflate(packed: &[u8], unpacked: &mut Vec<u8>, most: usize) -> Option<usize> {
    let start = unpacked.len();
    let mut bits = Bits { bytes: packed, at: 0, buffer: 0, count: 0 };
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, unpacked)?,
            1 => {
                let lengths: Vec<u8> = (0..288).map(fixed_length).collect();
                compressed(&mut bits, &Codes::new(&lengths)?, &Codes::new(&[5; 30])?, unpacked, start, most)?;
            }
            2 => {
                let (literals, distances) = dynamic(&mut bits)?;
                compressed(&mut bits, &literals, &distances, unpacked, start, most)?;
            }
            _ => return None,
        }
        if unpacked.len() > most {
            return None;
        }
        if is_last {
            return Some(bits.at - bits.count as usize / 8);
        }
    }
}

/// The bits of a text, those of a byte from its lowest on.
struct Bits<'p> {
    bytes: &'p [u8],
    at: usize,
    buffer: u64,
    count: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.count <= 48
            && let Some(byte) = self.bytes.get(self.at)
        {
            self.buffer |= u64::from(*byte) << self.count;
            self.count += 8;
            self.at += 1;
        }
    }

    /// Up to 16 bits.
    fn take(&mut self, count: u32) -> Option<usize> {
        self.fill();
        let bits = self.buffer & ((1 << count) - 1);
        self.count = self.count.checked_sub(count)?;
        self.buffer >>= count;
        usize::try_from(bits).ok()
    }

    fn symbol(&mut self, codes: &Codes) -> Option<usize> {
        self.fill();
        let mask = codes.entries.len() as u64 - 1;
        let (symbol, length) = codes.entries[usize::try_from(self.buffer & mask).ok()?];
        self.count = self.count.checked_sub(u32::from(length)).filter(|_| length > 0)?;
        self.buffer >>= length;
        Some(usize::from(symbol))
    }
}

/// A Huffman code: for the next bits of a text the symbol, and how many of the bits are its code; none where no code
/// begins so.
struct Codes {
    entries: Vec<(u16, u8)>,
}

impl Codes {
    /// The canonical code with these lengths (RFC 1951, 3.2.2); `None` if there are too many short ones.
    fn new(lengths: &[u8]) -> Option<Self> {
        let longest = u32::from(lengths.iter().copied().max().unwrap_or(0));
        let mut entries = vec![(0, 0); 1 << longest];
        let mut code = 0_u32;
        for length in 1..=longest {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, one)| u32::from(**one) == length) {
                if code >> length != 0 {
                    return None;
                }
                let first = (code.reverse_bits() >> (32 - length)) as usize;
                for entry in entries.iter_mut().skip(first).step_by(1 << length) {
                    *entry = (u16::try_from(symbol).ok()?, u8::try_from(length).ok()?);
                }
                code += 1;
            }
            code <<= 1;
        }
        Some(Self { entries })
    }
}

fn fixed_length(symbol: u16) -> u8 {
    match symbol {
        0..=143 => 8,
        144..=255 => 9,
        256..=279 => 7,
        _ => 8,
    }
}

fn stored(bits: &mut Bits<'_>, unpacked: &mut Vec<u8>) -> Option<()> {
    bits.take(bits.count % 8)?;
    let (length, check) = (bits.take(16)?, bits.take(16)?);
    if length != !check & 0xffff {
        return None;
    }
    let start = bits.at - bits.count as usize / 8;
    unpacked.extend(bits.bytes.get(start..start + length)?);
    *bits = Bits { bytes: bits.bytes, at: start + length, buffer: 0, count: 0 };
    Some(())
}

/// The codes of literals and distances that stand before a block.
fn dynamic(bits: &mut Bits<'_>) -> Option<(Codes, Codes)> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let (literals, distances, count) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut of_lengths = [0; 19];
    for place in &ORDER[..count] {
        of_lengths[*place] = u8::try_from(bits.take(3)?).ok()?;
    }
    let codes = Codes::new(&of_lengths)?;
    let mut lengths: Vec<u8> = Vec::new();
    while lengths.len() < literals + distances {
        let (value, times) = match bits.symbol(&codes)? {
            16 => (*lengths.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            length => (u8::try_from(length).ok()?, 1),
        };
        lengths.extend(std::iter::repeat_n(value, times));
    }
    let of_distances = lengths.get(literals..literals + distances)?;
    Some((Codes::new(&lengths[..literals])?, Codes::new(of_distances)?))
}

/// A block of literals and of copies of what came before.
fn compressed(
    bits: &mut Bits<'_>,
    literals: &Codes,
    distances: &Codes,
    unpacked: &mut Vec<u8>,
    start: usize,
    most: usize,
) -> Option<()> {
    while unpacked.len() <= most {
        match bits.symbol(literals)? {
            256 => return Some(()),
            literal @ 0..=255 => unpacked.push(u8::try_from(literal).ok()?),
            symbol => {
                let length = length(symbol - 257, bits)?;
                let symbol = bits.symbol(distances)?;
                let distance = distance(symbol, bits)?;
                if distance > unpacked.len() - start {
                    return None;
                }
                for _ in 0..length {
                    unpacked.push(unpacked[unpacked.len() - distance]);
                }
            }
        }
    }
    None
}

/// The length of a copy: the symbols have the lengths from 3 on, four for each number of further bits (RFC 1951, 3.2.5).
fn length(symbol: usize, bits: &mut Bits<'_>) -> Option<usize> {
    match symbol {
        0..=7 => Some(symbol + 3),
        8..=27 => {
            let more = symbol / 4 - 1;
            Some(3 + ((4 + symbol % 4) << more) + bits.take(u32::try_from(more).ok()?)?)
        }
        28 => Some(258),
        _ => None,
    }
}

/// The distance of a copy: the symbols have those from 1 on, two for each number of further bits.
fn distance(symbol: usize, bits: &mut Bits<'_>) -> Option<usize> {
    match symbol {
        0..=3 => Some(symbol + 1),
        4..=29 => {
            let more = symbol / 2 - 1;
            Some(1 + ((2 + symbol % 2) << more) + bits.take(u32::try_from(more).ok()?)?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::packed::tests::gzip;

    #[test]
    fn what_gzip_packs_is_unpacked() {
        let noise = |seed: u32| (seed.wrapping_mul(2_654_435_761) >> 13) as u8;
        let texts: [Vec<u8>; 6] = [
            Vec::new(),
            b"a".to_vec(),
            b"abcabcabcabc".to_vec(),
            vec![b'x'; 100_000],
            (0..200_000).map(noise).collect(),
            (0..60_000)
                .map(|at| b"(defun car (x) \"Take it.\")\n"[(noise(at / 9) as usize + at as usize) % 27])
                .collect(),
        ];
        for text in &texts {
            assert_eq!(gunzip(&gzip(text), 300_000).as_ref(), Some(text));
            assert!(text.is_empty() || gunzip(&gzip(text), text.len() - 1).is_none(), "the limit holds");
        }
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(gunzip(&two, 100).unwrap(), b"one two");
    }

    #[test]
    fn damage_is_no_panic_and_no_endless_work() {
        let whole = gzip(&b"(defun car (x) \"Take it.\")\n(defun cdr (y))\n".repeat(50));
        for length in 0..whole.len() {
            assert_eq!(gunzip(&whole[..length], 10_000).filter(|text| !text.is_empty()), None, "{length}");
        }
        for at in 0..whole.len() {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                assert!(gunzip(&damaged, 10_000).is_none_or(|text| text.len() <= 10_000));
            }
        }
    }
}
