//! The logo of a page: a small picture of a checked type, which is stored with the page. SVG is none of them, because it can
//! hold scripts.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use crate::fault::Issue;

/// Bytes of a logo.
const MAX_LOGO: usize = 128 << 10;

/// A picture, by its bytes in base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Logo(String);

impl Logo {
    /// Checks the size and the type of a picture.
    pub fn new(bytes: &[u8]) -> Result<Self, Issue> {
        let refuse = |message: String| Issue::new("invalid", "data", message);
        if bytes.len() > MAX_LOGO {
            let message = format!(
                "A logo has at most {} KiB. Choose a smaller image.",
                MAX_LOGO >> 10
            );
            return Err(refuse(message));
        }
        match media(bytes) {
            Some(_) => Ok(Self(STANDARD.encode(bytes))),
            None => Err(refuse("Choose a PNG, JPEG, WebP or GIF image.".to_owned())),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        STANDARD.decode(&self.0).unwrap_or_default()
    }

    /// Its media type, by its first bytes.
    pub fn media(&self) -> &'static str {
        media(&self.bytes()).unwrap_or("application/octet-stream")
    }

    /// Differs for other pictures.
    pub fn tag(&self) -> String {
        blake3::hash(self.0.as_bytes()).to_hex()[..16].to_owned()
    }
}

const fn media(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_a_small_picture_and_nothing_that_runs() {
        let png = b"\x89PNG\r\n\x1a\nrest";
        let logo = Logo::new(png).unwrap();
        assert_eq!((logo.media(), logo.bytes()), ("image/png", png.to_vec()));
        assert_eq!(
            Logo::new(b"\xff\xd8\xff\xe0").unwrap().media(),
            "image/jpeg"
        );
        assert_eq!(
            Logo::new(b"RIFF\0\0\0\0WEBPVP8 ").unwrap().media(),
            "image/webp"
        );
        for wrong in [
            &b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"[..],
            b"<html>",
            b"GIF",
            b"",
        ] {
            assert!(Logo::new(wrong).is_err(), "{wrong:?}");
        }
        let mut large = png.to_vec();
        large.resize(MAX_LOGO + 1, 0);
        assert!(Logo::new(&large).is_err());
        assert_ne!(
            Logo::new(b"\x89PNG\r\n\x1a\nother").unwrap().tag(),
            logo.tag()
        );
    }
}
