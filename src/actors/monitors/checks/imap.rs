//! IMAP (RFC 9051): greeting, capabilities, STARTTLS, LOGIN.

use super::{
    Credentials, Probe,
    mail::{self, Mail},
    no_tls,
    reader::broken,
    refused_credentials,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

/// Lines before the one that ends an answer.
const MAX_LINES: usize = 100;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let (greeting, mut wire) = mail::open::<Imap>(probe, &mut result.trace).await?;
    Imap::talk(&mut wire, probe.credentials()).await?;
    wire.close(b"p LOGOUT\r\n").await;
    probe.assert_text(&greeting).await
}

pub(super) struct Imap;

impl Mail for Imap {
    async fn greet<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        let line = wire.line().await?;
        let text = line.strip_prefix("* ").ok_or_else(|| broken("IMAP"))?;
        match text.split(' ').next().unwrap_or_default() {
            "OK" | "PREAUTH" => Ok(text.to_owned()),
            "BYE" => Err(Failure::new(
                Class::ServerError,
                "the server takes no connections (BYE)",
            )),
            _ => Err(broken("IMAP")),
        }
    }

    async fn start_tls<S: Stream>(mut wire: Wire<'_, S>) -> Result<S, Failure> {
        if !command(&mut wire, "STARTTLS").await? {
            return Err(no_tls());
        }
        wire.into_stream()
    }

    async fn talk<S: Stream>(
        wire: &mut Wire<'_, S>,
        credentials: Option<Credentials<'_>>,
    ) -> Result<(), Failure> {
        if !command(wire, "CAPABILITY").await? {
            let message = "the server refused the command CAPABILITY";
            return Err(Failure::new(Class::ServerError, message));
        }
        if let Some(Credentials { username, password }) = credentials {
            let login = format!("LOGIN {} {}", quoted(username), quoted(password));
            if !command(wire, &login).await? {
                return Err(refused_credentials());
            }
        }
        Ok(())
    }
}

/// Sends a command and reads to the end of its answer, which may be that it is refused.
async fn command<S: Stream>(wire: &mut Wire<'_, S>, command: &str) -> Result<bool, Failure> {
    wire.send(format!("p {command}\r\n").as_bytes()).await?;
    for _ in 0..MAX_LINES {
        let line = wire.line().await?;
        match line.strip_prefix("p ") {
            Some(end) => {
                return match end.split(' ').next().unwrap_or_default() {
                    "OK" => Ok(true),
                    "NO" | "BAD" => Ok(false),
                    _ => Err(broken("IMAP")),
                };
            }
            None if line.starts_with("* ") => {}
            None => return Err(broken("IMAP")),
        }
    }
    Err(broken("IMAP"))
}

/// A quoted string. Credentials have no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{failed, served},
        *,
    };

    const ADA: Credentials<'static> = Credentials {
        username: "ada",
        password: "a\"b\\c",
    };

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        let greeting = Imap::greet(wire).await?;
        Imap::talk(wire, Some(ADA)).await?;
        Ok(greeting)
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(quoted(ADA.password), r#""a\"b\\c""#);
    }

    #[tokio::test]
    async fn a_server_is_greeted_and_signed_in_to() {
        let answers = b"* OK ready\r\n* CAPABILITY IMAP4rev1\r\np OK done\r\np OK in\r\n";
        let greeting = served(answers, async |wire| whole(wire).await).await;
        assert_eq!(greeting.unwrap(), "OK ready");
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let endless = format!("* OK\r\n{}", "* x\r\n".repeat(MAX_LINES));
        for (answers, class) in [
            ("", Class::Closed),
            ("HTTP/1.1 400 Bad Request\r\n", Class::Protocol),
            ("* BYE full\r\n", Class::ServerError),
            ("* OK\r\n+OK\r\n", Class::Protocol),
            (&*endless, Class::Protocol),
            ("* OK\r\np BAD\r\n", Class::ServerError),
            ("* OK\r\np OK\r\np NO\r\n", Class::Credentials),
            ("* OK\r\np OK\r\n", Class::Closed),
        ] {
            let found = failed(answers.as_bytes(), async |wire| whole(wire).await).await;
            assert_eq!(found, class, "{answers}");
        }
    }
}
