//! Failures of answers that break off, or break HTTP.

use std::io;

use super::{Class, Failure, failure::socket_error};

/// What of an answer is missing when the connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Answer,
    Rest,
}

/// What an error of the client means.
pub(super) fn failed(error: &hyper::Error, missing: Missing) -> Failure {
    if error.is_parse() && error.to_string().contains("too large") {
        return too_large();
    }
    if error.is_parse() {
        return Failure::new(Class::Protocol, "the answer is no HTTP/1.1");
    }
    let socket = socket_error(error);
    let is_end = |socket: &io::Error| socket.kind() == io::ErrorKind::UnexpectedEof;
    // The client reports a body that is cut short as an error of the socket, and a head as an error of its own.
    if error.is_incomplete_message() || socket.is_some_and(is_end) {
        let message = match missing {
            Missing::Answer => "the other side closed the connection without an answer",
            Missing::Rest => "the other side closed the connection before the end of the answer",
        };
        return Failure::new(Class::Closed, message);
    }
    match (socket, missing) {
        (Some(socket), Missing::Answer) => {
            Failure::from_socket(socket, "while waiting for the answer")
        }
        (Some(socket), Missing::Rest) => Failure::from_socket(socket, "while reading the answer"),
        (None, _) => Failure::new(Class::Protocol, format!("the answer breaks HTTP: {error}")),
    }
}

pub(super) fn too_large() -> Failure {
    Failure::new(Class::HeadersTooLarge, "the answer's head is too large")
}
