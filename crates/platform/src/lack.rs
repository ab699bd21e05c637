//! The promises of the documentation that a system cannot keep.

/// A feature that a system has no means for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The descendants of a process are unknown, except those in its process group.
    Descent,
    /// The memory of a process is unknown.
    Memory,
    /// The time that a process has waited for a processor is unknown.
    Waits,
    /// Nothing keeps a process from writing, connecting and signalling.
    Sandbox,
    /// Processes of the same user may read each other's memory.
    Privacy,
}

impl Lack {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Descent => "descent",
            Self::Memory => "memory",
            Self::Waits => "waits",
            Self::Sandbox => "sandbox",
            Self::Privacy => "privacy",
        }
    }

    /// The consequence for users of images.
    pub fn consequence(self) -> &'static str {
        match self {
            Self::Descent => {
                "--max-processes is not enforced; what code has started is ended with its image and not before, and what it \
                 has given a process group of its own is not ended"
            }
            Self::Memory => {
                "--max-memory bounds the heap of an image and nothing else that it takes, and memory is not shown"
            }
            Self::Waits => "time in which an image waits for a processor counts when it is told to stop",
            Self::Sandbox => "--sandbox does not work",
            Self::Privacy => "other programs of the same user may read the memory and the environment of the server",
        }
    }
}
