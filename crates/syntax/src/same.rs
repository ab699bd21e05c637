//! The common start and end of two texts.

/// The number of bytes that are compared at once.
const BLOCK: usize = 1024;

/// The number of equal bytes at the start.
pub fn same_front(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

/// The number of equal bytes at the end.
pub fn same_back(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(a, b)| a == b);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
