//! The checksum of a file's beginning, by which a file is recognized, and one that has grown, too.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The checksum of a file's beginning, as far as it was asked for.
pub struct Prefix {
    file: File,
    length: u64,
    position: u64,
    hash: blake3::Hasher,
}

impl Prefix {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            file,
            length,
            position: 0,
            hash: blake3::Hasher::new(),
        })
    }

    /// Bytes of the whole file.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// BLAKE3 of the bytes up to `end`, hexadecimal. `end` is never less than the last time.
    ///
    /// # Errors
    /// The file cannot be read, or has become shorter.
    pub fn digest(&mut self, end: u64) -> io::Result<String> {
        let mut buffer = vec![0; 1 << 16];
        while self.position < end {
            let wanted = (end - self.position).min(buffer.len() as u64) as usize;
            let read = self.file.read(&mut buffer[..wanted])?;
            if read == 0 {
                let what = "the file became shorter while it was read";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
            }
            self.hash.update(&buffer[..read]);
            self.position += read as u64;
        }
        Ok(self.hash.clone().finalize().to_hex().to_string())
    }
}
