//! What an answer may cost.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Time for all of it, redirects included.
    pub time: Duration,
    /// Bytes of a body as it is sent.
    pub body: u64,
    /// Bytes of the last body, unpacked, that are kept; 0 = none are, and it is not unpacked.
    pub text: usize,
    /// Whether more than that is a failure; else nothing is kept then.
    pub whole: bool,
    /// Redirects that are followed.
    pub redirects: u32,
}
