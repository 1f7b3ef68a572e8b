//! Frames of WebSocket, as bytes.

use crate::egress::{Class, Failure};

pub(super) const CONTINUATION: u8 = 0;
pub(super) const TEXT: u8 = 1;
pub(super) const BINARY: u8 = 2;
pub(super) const CLOSE: u8 = 8;
pub(super) const PING: u8 = 9;
pub(super) const PONG: u8 = 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) is_final: bool,
    pub(super) opcode: u8,
    pub(super) payload: Vec<u8>,
}

/// The frame at the beginning of these bytes, and how many bytes it has; nothing if there are more to come. A frame has at most
/// `most` bytes.
pub(super) fn read_frame(bytes: &[u8], most: usize) -> Result<Option<(Frame, usize)>, Failure> {
    let [first, second, rest @ ..] = bytes else {
        return Ok(None);
    };
    let (is_final, opcode) = (first & 0x80 != 0, first & 0x0f);
    let is_known = matches!(opcode, CONTINUATION | TEXT | BINARY | CLOSE | PING | PONG);
    if first & 0x70 != 0 || second & 0x80 != 0 || !is_known {
        return broken("the server sends frames that aren't WebSocket");
    }
    let short = usize::from(second & 0x7f);
    let (length, begin) = match short {
        126 => (
            rest.first_chunk()
                .map(|two| u16::from_be_bytes(*two).into()),
            4,
        ),
        127 => (
            rest.first_chunk().map(|eight| u64::from_be_bytes(*eight)),
            10,
        ),
        short => (Some(short as u64), 2),
    };
    let Some(length) = length else {
        return Ok(None);
    };
    if opcode >= CLOSE && (short > 125 || !is_final) {
        return broken("the server sends a control frame that is too long");
    }
    if length > most as u64 {
        return too_large(most);
    }
    let end = begin + length as usize;
    let Some(payload) = bytes.get(begin..end) else {
        return Ok(None);
    };
    let frame = Frame {
        is_final,
        opcode,
        payload: payload.to_vec(),
    };
    Ok(Some((frame, end)))
}

/// A whole frame of a client, which is always masked.
pub(super) fn frame(opcode: u8, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..126 => frame.push(0x80 | length as u8),
        length @ 126..=0xffff => {
            frame.push(0x80 | 0x7e);
            frame.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            frame.push(0x80 | 0x7f);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(&mask);
    let masked = payload.iter().zip(mask.iter().cycle());
    frame.extend(masked.map(|(byte, mask)| byte ^ mask));
    frame
}

pub(super) fn broken<T>(message: &str) -> Result<T, Failure> {
    Err(Failure::new(Class::Protocol, message))
}

pub(super) fn too_large<T>(most: usize) -> Result<T, Failure> {
    let message = format!("a message has more than {most} bytes");
    Err(Failure::new(Class::BodyTooLarge, message))
}
