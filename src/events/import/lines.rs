//! Files with an object on each line, or a list of objects.

use std::io::{self, BufRead, BufReader, Read};

/// Longest object that is read, bytes.
const LONGEST: usize = 4 << 20;

/// The bytes of an object, where they end, and their number.
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    /// Line, or number within a list, from 1.
    pub(super) number: u64,
    /// Bytes of the file up to its end.
    pub(super) end: u64,
    /// Whether the line has an end, or the object a closing bracket.
    pub(super) is_whole: bool,
}

/// An object on each line.
pub(super) struct Lines<R> {
    file: BufReader<R>,
    number: u64,
    end: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(file: R) -> Self {
        Self {
            file: BufReader::with_capacity(1 << 18, file),
            number: 0,
            end: 0,
        }
    }

    /// The next line; `None` at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        let mut bytes = Vec::new();
        let mut limited = self.file.by_ref().take(LONGEST as u64);
        let read = limited.read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.end += read as u64;
        let is_whole = bytes.last() == Some(&b'\n');
        if read == LONGEST && !is_whole {
            return Err(too_long(self.number));
        }
        Ok(Some(Piece {
            bytes,
            number: self.number,
            end: self.end,
            is_whole,
        }))
    }
}

/// The objects of a list, found by their brackets, so that no more than one is in memory.
pub(super) struct Elements<R> {
    file: BufReader<R>,
    number: u64,
    end: u64,
    /// Whether the list has ended.
    is_over: bool,
}

impl<R: Read> Elements<R> {
    /// A file whose first character that is no space is the list's bracket.
    pub(super) fn new(file: R) -> io::Result<Self> {
        let mut elements = Self {
            file: BufReader::with_capacity(1 << 18, file),
            number: 0,
            end: 0,
            is_over: false,
        };
        while elements.byte()?.is_some_and(|byte| byte != b'[') {}
        Ok(elements)
    }

    /// The next object; `None` behind the list.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        let mut bytes = Vec::new();
        let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
        while !self.is_over {
            let Some(byte) = self.byte()? else {
                self.is_over = true;
                self.number += 1;
                // What has no end cannot be read, and a list without one was cut off.
                return Ok(Some(self.piece(bytes, false)));
            };
            if depth == 0 {
                match byte {
                    b']' => {
                        self.is_over = true;
                        break;
                    }
                    b',' | b' ' | b'\n' | b'\r' | b'\t' => continue,
                    b'{' => self.number += 1,
                    _ => return Err(no_object(self.number + 1)),
                }
            }
            bytes.push(byte);
            if bytes.len() == LONGEST {
                return Err(too_long(self.number));
            }
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                b'{' | b'[' if !is_text => depth += 1,
                b'}' | b']' if !is_text => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(Some(self.piece(bytes, true)));
            }
        }
        Ok(None)
    }

    fn piece(&self, bytes: Vec<u8>, is_whole: bool) -> Piece {
        Piece {
            bytes,
            number: self.number,
            end: self.end,
            is_whole,
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let first = self.file.fill_buf()?.first().copied();
        if first.is_some() {
            self.file.consume(1);
            self.end += 1;
        }
        Ok(first)
    }
}

fn too_long(number: u64) -> io::Error {
    let what = format!("record {number} is longer than 4 MiB");
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn no_object(number: u64) -> io::Error {
    let what = format!("element {number} of the list is no object");
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> Vec<(String, u64, bool)> {
        let mut list = Elements::new(text.as_bytes()).unwrap();
        let mut all = Vec::new();
        while let Some(piece) = list.next().unwrap() {
            let text = String::from_utf8(piece.bytes).unwrap();
            all.push((text, piece.end, piece.is_whole));
        }
        all
    }

    #[test]
    fn objects_of_a_list_are_found_by_their_brackets() {
        let one = r#"{"a":"]}\"","b":[{}]}"#;
        let all = elements(&format!(" [{one} ,\n{{}}] behind"));
        assert_eq!(
            all,
            [(one.to_owned(), 23, true), ("{}".to_owned(), 28, true)]
        );
        assert_eq!(elements("[]"), []);
    }

    #[test]
    fn a_list_without_an_end_ends_in_a_piece_that_is_not_whole() {
        for (text, rest) in [(r#"[{"a":1"#, r#"{"a":1"#), ("[{},", "")] {
            let (last, _, is_whole) = elements(text).pop().unwrap();
            assert_eq!((&*last, is_whole), (rest, false));
        }
    }

    #[test]
    fn very_long_objects_and_lines_are_refused() {
        let long = "x".repeat(10_000_000);
        let mut list =
            Elements::new(format!("[{{\"a\":\"{long}").as_bytes().to_vec().leak() as &[u8])
                .unwrap();
        assert!(list.next().is_err());
        let mut lines = Lines::new(long.as_bytes());
        assert!(lines.next().is_err());
        assert!(Elements::new(&b"[1]"[..]).unwrap().next().is_err());
    }
}
