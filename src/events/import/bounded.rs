//! Tables whose rows have a bound: a quotation mark that is never closed makes one row of all that follows.

use std::io::{self, Read};

/// Bytes of a row.
const LONGEST: u64 = 16 << 20;

/// What is read of a row, as far as it is sensible.
pub(super) struct Bounded<R> {
    inner: R,
    read: u64,
}

impl<R> Bounded<R> {
    pub(super) const fn new(inner: R) -> Self {
        Self { inner, read: 0 }
    }

    /// What is read from now on is of another row.
    pub(super) const fn begin_record(&mut self) {
        self.read = 0;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        if self.read > LONGEST {
            let what = "a row is longer than 16 MiB: a quotation mark may not be closed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(read)
    }
}
