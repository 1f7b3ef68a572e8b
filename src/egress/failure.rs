//! What can go wrong on the way out, in classes for machines.

use std::{error::Error, io};

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        /// Why something out there could not be reached, or was not as wanted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[schemars(rename = "ErrorClass")]
        pub enum Class {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Class {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The class as it is stored and written on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

classes! {
    /// The name does not exist, or has no record of the kind.
    NameNotFound "dns_nxdomain";
    /// No name server answered in time.
    NameTimeout "dns_timeout";
    /// Name servers refused, or answered with an error.
    NameFailed "dns_failed";
    /// The address may not be reached from here.
    BlockedAddress "blocked_address";
    /// The port may not be reached from here.
    BlockedPort "blocked_port";
    /// Nothing listens there.
    Refused "refused";
    /// There is no way there.
    Unreachable "unreachable";
    /// The other side cut the connection.
    Reset "reset";
    /// The connection did not come about in time.
    ConnectTimeout "timeout_connect";
    /// The TLS handshake did not end in time.
    TlsTimeout "timeout_tls";
    /// No answer began in time.
    FirstByteTimeout "timeout_ttfb";
    /// The answer did not end in time.
    TransferTimeout "timeout_transfer";
    /// The certificate's time is over, or has not come.
    TlsExpired "tls_expired";
    /// The certificate is for another name.
    TlsName "tls_hostname";
    /// No trusted authority has signed the certificate.
    TlsUntrusted "tls_untrusted";
    /// The handshake failed otherwise.
    TlsFailed "tls_failed";
    /// The certificate ends sooner than is wanted.
    TlsExpiring "tls_expiring";
    /// What came back breaks the rules of the protocol.
    Protocol "protocol";
    /// The other side hung up in the middle.
    Closed "closed";
    /// The records of the name aren't signed up to the root of DNS.
    Unsigned "dnssec_unsigned";
    /// The signatures of the name's records are wrong, expired or missing.
    Bogus "dnssec_bogus";
    /// The registered domain expires sooner than is wanted.
    DomainExpiring "domain_expiring";
    /// More redirects than are followed.
    TooManyRedirects "too_many_redirects";
    /// A redirect leads nowhere.
    BadRedirect "bad_redirect";
    /// The answer's head is too large.
    HeadersTooLarge "headers_too_large";
    /// The body is too large, as sent or as unpacked.
    BodyTooLarge "body_too_large";
    /// The status is none of those that are wanted.
    Status "status";
    /// The credentials were refused, or are required and missing.
    Credentials "credentials";
    /// The server answered with an error.
    ServerError "server_error";
    /// The answer is not what is wanted.
    Assertion "assertion";
    /// The answer took longer than is wanted.
    TooSlow "too_slow";
    /// The system does not let this program do it.
    NotPermitted "not_permitted";
    /// No sign of life came in time.
    Silent "no_heartbeat";
    /// The watched job says that it failed.
    Reported "reported_failure";
    /// Something else.
    Other "other";
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub class: Class,
    /// What happened, in a sentence; nothing of what a body said.
    pub message: String,
}

impl Failure {
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
        }
    }

    /// That an answer did not begin in time, or did not end if it had begun.
    pub fn late(has_begun: bool) -> Self {
        if has_begun {
            Self::new(Class::TransferTimeout, "the answer did not end in time")
        } else {
            Self::new(Class::FirstByteTimeout, "no answer began in time")
        }
    }

    /// What an error of a socket means.
    pub fn from_socket(error: &io::Error, during: &str) -> Self {
        use io::ErrorKind as Kind;
        let class = match error.kind() {
            Kind::ConnectionRefused => Class::Refused,
            Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe => Class::Reset,
            Kind::NetworkUnreachable | Kind::HostUnreachable | Kind::AddrNotAvailable => {
                Class::Unreachable
            }
            Kind::TimedOut => Class::ConnectTimeout,
            Kind::UnexpectedEof => Class::Closed,
            Kind::PermissionDenied => Class::NotPermitted,
            Kind::InvalidData | Kind::InvalidInput => Class::Protocol,
            _ => Class::Other,
        };
        let what = match class {
            Class::Refused => "connection refused".to_owned(),
            Class::Reset => "connection reset by the other side".to_owned(),
            Class::Unreachable => "network or host unreachable".to_owned(),
            Class::Closed => "the other side hung up".to_owned(),
            _ => error.to_string(),
        };
        Self::new(class, format!("{what} ({during})"))
    }
}

/// The first error of a socket among an error and its causes.
pub(super) fn socket_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<io::Error>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names_of_their_own() {
        let names: std::collections::HashSet<_> = Class::ALL.iter().map(|c| c.as_str()).collect();
        assert_eq!(names.len(), Class::ALL.len());
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }

    #[test]
    fn errors_of_sockets_are_told_apart() {
        for (kind, class) in [
            (io::ErrorKind::ConnectionRefused, Class::Refused),
            (io::ErrorKind::ConnectionReset, Class::Reset),
            (io::ErrorKind::HostUnreachable, Class::Unreachable),
            (io::ErrorKind::NetworkUnreachable, Class::Unreachable),
            (io::ErrorKind::AddrNotAvailable, Class::Unreachable),
            (io::ErrorKind::ConnectionAborted, Class::Reset),
            (io::ErrorKind::BrokenPipe, Class::Reset),
            (io::ErrorKind::TimedOut, Class::ConnectTimeout),
            (io::ErrorKind::UnexpectedEof, Class::Closed),
            (io::ErrorKind::PermissionDenied, Class::NotPermitted),
            (io::ErrorKind::InvalidData, Class::Protocol),
            (io::ErrorKind::InvalidInput, Class::Protocol),
            (io::ErrorKind::OutOfMemory, Class::Other),
        ] {
            assert_eq!(
                Failure::from_socket(&kind.into(), "here").class,
                class,
                "{kind}"
            );
        }
    }

    #[test]
    fn what_happened_to_a_socket_is_said_in_our_words_or_the_systems() {
        let said = |kind: io::ErrorKind| Failure::from_socket(&kind.into(), "here").message;
        for (kind, words) in [
            (io::ErrorKind::ConnectionRefused, "connection refused"),
            (
                io::ErrorKind::ConnectionReset,
                "connection reset by the other side",
            ),
            (
                io::ErrorKind::HostUnreachable,
                "network or host unreachable",
            ),
            (io::ErrorKind::UnexpectedEof, "the other side hung up"),
            (io::ErrorKind::OutOfMemory, "out of memory"),
        ] {
            assert_eq!(said(kind), format!("{words} (here)"));
        }
    }

    #[test]
    fn the_error_of_a_socket_is_found_below_others() {
        #[derive(Debug, thiserror::Error)]
        #[error("above")]
        struct Above(#[source] io::Error);
        let above = Above(io::ErrorKind::ConnectionReset.into());
        assert_eq!(
            socket_error(&above).map(io::Error::kind),
            Some(io::ErrorKind::ConnectionReset)
        );
        assert!(socket_error(&std::fmt::Error).is_none());
    }
}
