//! The numbers of sections to their pages.

type Chapter = (&'static str, usize, Option<(usize, &'static str)>);

/// The chapters of the standard: title, number of sections, and the section that is a dictionary, with its page.
const CHAPTERS: &[Chapter] = &[
    ("Introduction", 9, None),
    ("Syntax", 4, None),
    ("Evaluation and Compilation", 8, Some((8, "c_evalua"))),
    ("Types and Classes", 4, Some((4, "c_types_"))),
    ("Data and Control Flow", 3, Some((3, "c_data_a"))),
    ("Iteration", 2, Some((2, "c_iterat"))),
    ("Objects", 7, Some((7, "c_object"))),
    ("Structures", 1, Some((1, "c_struct"))),
    ("Conditions", 2, Some((2, "c_condit"))),
    ("Symbols", 2, Some((2, "c_symbol"))),
    ("Packages", 2, Some((2, "c_packag"))),
    ("Numbers", 2, Some((2, "c_number"))),
    ("Characters", 2, Some((2, "c_charac"))),
    ("Conses", 2, Some((2, "c_conses"))),
    ("Arrays", 2, Some((2, "c_arrays"))),
    ("Strings", 2, Some((2, "c_string"))),
    ("Sequences", 3, Some((3, "c_sequen"))),
    ("Hash Tables", 2, Some((2, "c_hash_t"))),
    ("Filenames", 4, Some((4, "c_filena"))),
    ("Files", 2, Some((2, "c_files"))),
    ("Streams", 2, Some((2, "c_stream"))),
    ("Printer", 4, Some((4, "c_printe"))),
    ("Reader", 2, Some((2, "c_reader"))),
    ("System Construction", 2, Some((2, "c_system"))),
    ("Environment", 2, Some((2, "c_enviro"))),
    ("Glossary", 1, None),
];

/// A section of the standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The name of its page, without `.htm`.
    pub(super) page: String,
    /// What is known of its title.
    pub(super) title: Option<String>,
}

/// The section with these numbers. A page is called by the chapter, in two digits, and a letter for each further
/// number. Chapters and their sections are known; whether a section has such a part, only its page can say.
pub(super) fn section(numbers: &[usize]) -> Option<Section> {
    let (chapter, parts) = numbers.split_first()?;
    let (title, count, dictionary) = CHAPTERS.get(chapter.checked_sub(1)?)?;
    let letters: String = parts.iter().map(|part| letter(*part)).collect::<Option<_>>()?;
    match (parts, dictionary) {
        ([first, ..], _) if first > count => None,
        ([first], Some((number, page))) if first == number => {
            Some(Section { page: (*page).to_owned(), title: Some(format!("The {title} Dictionary")) })
        }
        // The entries of a dictionary have names instead of numbers.
        ([first, ..], Some((number, _))) if first == number => None,
        ([], _) => Some(Section { page: format!("{chapter:02}_"), title: Some((*title).to_owned()) }),
        (_, _) => Some(Section { page: format!("{chapter:02}_{letters}"), title: Some(format!("in {title}")) }),
    }
}

/// The letter of a part, from 1.
fn letter(part: usize) -> Option<char> {
    let number = u8::try_from(part.checked_sub(1)?).ok().filter(|number| *number < 26)?;
    Some(char::from(b'a' + number))
}
