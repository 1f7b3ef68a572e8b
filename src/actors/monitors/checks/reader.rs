//! Reads numbers and texts of a message that was received whole.

use crate::egress::{Class, Failure};

/// The rest of a message. What is missing is a failure.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
    protocol: &'static str,
}

impl<'b> Reader<'b> {
    pub(super) const fn new(rest: &'b [u8], protocol: &'static str) -> Self {
        Self { rest, protocol }
    }

    pub(super) const fn rest(&self) -> &'b [u8] {
        self.rest
    }

    pub(super) fn broken(&self) -> Failure {
        broken(self.protocol)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'b [u8], Failure> {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or_else(|| self.broken())?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Failure> {
        Ok(self.array::<1>()?[0])
    }

    /// Text up to a zero byte.
    pub(super) fn text(&mut self) -> Result<&'b [u8], Failure> {
        let end = self.rest.iter().position(|byte| *byte == 0);
        let text = self.take(end.ok_or_else(|| self.broken())?)?;
        self.take(1)?;
        Ok(text)
    }
}

/// An answer that breaks the rules of the protocol.
pub(super) fn broken(protocol: &str) -> Failure {
    Failure::new(Class::Protocol, format!("the answer isn't {protocol}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_failure() {
        let mut reader = Reader::new(b"\x01ab\0cd", "X");
        assert_eq!(reader.byte(), Ok(1));
        assert_eq!(reader.text(), Ok(&b"ab"[..]));
        assert_eq!(reader.text().unwrap_err().message, "the answer isn't X");
        assert_eq!(reader.array(), Ok(*b"cd"));
        assert!(reader.byte().is_err() && reader.take(usize::MAX).is_err());
    }
}
