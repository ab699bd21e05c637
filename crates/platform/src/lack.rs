//! What a system cannot keep of what the documentation promises.

/// Something that a system has no means for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// There is no telling what a process has started, but for what stays in its process group.
    Descent,
    /// There is no telling how much memory a process takes.
    Memory,
    /// There is no telling how long a process has waited for a processor.
    Waits,
    /// Nothing keeps a process from writing, connecting and signalling.
    Sandbox,
    /// Processes of the same user may look into each other.
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

    /// What follows from it for those who use images.
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
