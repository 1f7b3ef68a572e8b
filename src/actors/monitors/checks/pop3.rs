//! POP3 (RFC 1939): greeting, STLS, USER and PASS.

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

/// Lines of capabilities.
const MAX_LINES: usize = 100;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let (greeting, mut wire) = mail::open::<Pop3>(probe, &mut result.trace).await?;
    Pop3::talk(&mut wire, probe.credentials()).await?;
    wire.close(b"QUIT\r\n").await;
    probe.assert_text(&greeting).await
}

/// The text behind `+OK`; none if the server says `-ERR`.
async fn answer<S: Stream>(wire: &mut Wire<'_, S>) -> Result<Option<String>, Failure> {
    let line = wire.line().await?;
    if line.starts_with("-ERR") {
        return Ok(None);
    }
    let text = line.strip_prefix("+OK").ok_or_else(|| broken("POP3"))?;
    Ok(Some(text.trim().to_owned()))
}

pub(super) struct Pop3;

impl Mail for Pop3 {
    async fn greet<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        let refused = || Failure::new(Class::ServerError, "the server takes no connections (-ERR)");
        answer(wire).await?.ok_or_else(refused)
    }

    async fn start_tls<S: Stream>(mut wire: Wire<'_, S>) -> Result<S, Failure> {
        if command(&mut wire, "STLS").await?.is_none() {
            return Err(no_tls());
        }
        wire.into_stream()
    }

    async fn talk<S: Stream>(
        wire: &mut Wire<'_, S>,
        credentials: Option<Credentials<'_>>,
    ) -> Result<(), Failure> {
        // Old servers don't know the command, which is as good an answer.
        if command(wire, "CAPA").await?.is_some() {
            let mut count = 0;
            while wire.line().await? != "." {
                count += 1;
                if count > MAX_LINES {
                    return Err(broken("POP3"));
                }
            }
        }
        if let Some(Credentials { username, password }) = credentials {
            for line in [format!("USER {username}"), format!("PASS {password}")] {
                if command(wire, &line).await?.is_none() {
                    return Err(refused_credentials());
                }
            }
        }
        Ok(())
    }
}

async fn command<S: Stream>(
    wire: &mut Wire<'_, S>,
    command: &str,
) -> Result<Option<String>, Failure> {
    wire.send(format!("{command}\r\n").as_bytes()).await?;
    answer(wire).await
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{ADA, failed, served},
        *,
    };

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        let greeting = Pop3::greet(wire).await?;
        Pop3::talk(wire, Some(ADA)).await?;
        Ok(greeting)
    }

    #[tokio::test]
    async fn a_server_is_greeted_and_signed_in_to() {
        for answers in [
            "+OK ready\r\n+OK\r\nUSER\r\n.\r\n+OK\r\n+OK in\r\n",
            "+OK ready\r\n-ERR what\r\n+OK\r\n+OK in\r\n",
        ] {
            let greeting = served(answers.as_bytes(), async |wire| whole(wire).await).await;
            assert_eq!(greeting.unwrap(), "ready");
        }
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let endless = format!("+OK\r\n+OK\r\n{}", "x\r\n".repeat(MAX_LINES + 1));
        for (answers, class) in [
            ("", Class::Closed),
            ("220 mail\r\n", Class::Protocol),
            ("-ERR full\r\n", Class::ServerError),
            (&*endless, Class::Protocol),
            ("+OK\r\n-ERR\r\n-ERR\r\n", Class::Credentials),
            ("+OK\r\n-ERR\r\n+OK\r\n-ERR\r\n", Class::Credentials),
            ("+OK\r\n+OK\r\nUSER\r\n", Class::Closed),
        ] {
            let found = failed(answers.as_bytes(), async |wire| whole(wire).await).await;
            assert_eq!(found, class, "{answers}");
        }
    }
}
