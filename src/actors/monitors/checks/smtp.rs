//! SMTP (RFC 5321): greeting, EHLO, STARTTLS, AUTH PLAIN or LOGIN.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    Credentials, Probe,
    mail::{self, Mail},
    no_credentials, no_tls,
    reader::broken,
    refused_credentials,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

/// Lines of an answer.
const MAX_LINES: usize = 100;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let (greeting, mut wire) = mail::open::<Smtp>(probe, &mut result.trace).await?;
    Smtp::talk(&mut wire, probe.credentials()).await?;
    wire.close(b"QUIT\r\n").await;
    probe.assert_text(&greeting).await
}

/// An answer: its code, and its lines without it.
async fn answer<S: Stream>(wire: &mut Wire<'_, S>) -> Result<(u16, Vec<String>), Failure> {
    let mut lines = Vec::new();
    loop {
        let line = wire.line().await?;
        let (code, rest) = line.split_at_checked(3).ok_or_else(|| broken("SMTP"))?;
        let code = code.parse::<u16>().map_err(|_| broken("SMTP"))?;
        let goes_on = rest.starts_with('-');
        if !(200..600).contains(&code) || lines.len() >= MAX_LINES {
            return Err(broken("SMTP"));
        }
        lines.push(rest.get(1..).unwrap_or_default().to_owned());
        if !goes_on {
            return Ok((code, lines));
        }
    }
}

/// The lines of an answer that is this or another good code.
async fn expect<S: Stream>(wire: &mut Wire<'_, S>, good: u16) -> Result<Vec<String>, Failure> {
    match answer(wire).await? {
        (code, lines) if code == good => Ok(lines),
        (530 | 534 | 538, _) => Err(no_credentials()),
        (535, _) => Err(refused_credentials()),
        (code, _) => {
            let message = format!("the server answered {code} where {good} was expected");
            Err(Failure::new(Class::ServerError, message))
        }
    }
}

pub(super) struct Smtp;

impl Mail for Smtp {
    async fn greet<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        Ok(expect(wire, 220).await?.join("\n"))
    }

    async fn start_tls<S: Stream>(mut wire: Wire<'_, S>) -> Result<S, Failure> {
        let extensions = hello(&mut wire).await?;
        if !extensions.iter().any(|one| one == "STARTTLS") {
            return Err(no_tls());
        }
        wire.send(b"STARTTLS\r\n").await?;
        expect(&mut wire, 220).await?;
        wire.into_stream()
    }

    async fn talk<S: Stream>(
        wire: &mut Wire<'_, S>,
        credentials: Option<Credentials<'_>>,
    ) -> Result<(), Failure> {
        let extensions = hello(wire).await?;
        match credentials {
            Some(credentials) => sign_in(wire, credentials, &extensions).await,
            None => Ok(()),
        }
    }
}

/// The extensions, in capitals.
async fn hello<S: Stream>(wire: &mut Wire<'_, S>) -> Result<Vec<String>, Failure> {
    wire.send(b"EHLO pharos.invalid\r\n").await?;
    let lines = expect(wire, 250).await?;
    Ok(lines.iter().map(|line| line.to_ascii_uppercase()).collect())
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    Credentials { username, password }: Credentials<'_>,
    extensions: &[String],
) -> Result<(), Failure> {
    let offered = extensions.iter().find_map(|one| one.strip_prefix("AUTH "));
    let offers = |name| offered.is_some_and(|all| all.split(' ').any(|one| one == name));
    if offers("PLAIN") {
        let both = STANDARD.encode(format!("\0{username}\0{password}"));
        wire.send(format!("AUTH PLAIN {both}\r\n").as_bytes())
            .await?;
    } else if offers("LOGIN") {
        let login = [
            "AUTH LOGIN".to_owned(),
            STANDARD.encode(username),
            STANDARD.encode(password),
        ];
        for (at, line) in login.iter().enumerate() {
            if at > 0 {
                expect(wire, 334).await?;
            }
            wire.send(format!("{line}\r\n").as_bytes()).await?;
        }
    } else {
        let message = "the server offers neither AUTH PLAIN nor AUTH LOGIN";
        return Err(Failure::new(Class::Credentials, message));
    }
    expect(wire, 235).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{ADA, failed, served},
        *,
    };

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        let greeting = Smtp::greet(wire).await?;
        Smtp::talk(wire, Some(ADA)).await?;
        Ok(greeting)
    }

    #[tokio::test]
    async fn a_server_is_greeted_and_signed_in_to() {
        for answers in [
            "220-mail\r\n220 ready\r\n250-mail\r\n250 AUTH LOGIN PLAIN\r\n235 ok\r\n",
            "220-mail\r\n220 ready\r\n250-mail\r\n250 AUTH LOGIN\r\n334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n235 ok\r\n",
        ] {
            let greeting = served(answers.as_bytes(), async |wire| whole(wire).await).await;
            assert_eq!(greeting.unwrap(), "mail\nready");
        }
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let endless = "220-x\r\n".repeat(MAX_LINES + 1);
        for (answers, class) in [
            ("", Class::Closed),
            ("220 ready", Class::Closed),
            ("HTTP/1.1 400 Bad Request\r\n", Class::Protocol),
            ("\u{fc}\u{fc}\r\n", Class::Protocol),
            (&*endless, Class::Protocol),
            ("554 no\r\n", Class::ServerError),
            ("220 a\r\n250 AUTH PLAIN\r\n535 no\r\n", Class::Credentials),
            ("220 a\r\n250 AUTH CRAM-MD5\r\n", Class::Credentials),
        ] {
            let found = failed(answers.as_bytes(), async |wire| whole(wire).await).await;
            assert_eq!(found, class, "{answers}");
        }
    }

    #[tokio::test]
    async fn no_byte_before_tls_is_taken_for_one_of_tls() {
        let (stream, mut server) = tokio::io::duplex(1_024);
        let early = b"250 STARTTLS\r\n220 go\r\n250 AUTH PLAIN\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut server, early)
            .await
            .unwrap();
        let mut trace = crate::egress::Trace::begin();
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
        let wire = Wire::new(stream, deadline, &mut trace);
        let class = Smtp::start_tls(wire).await.unwrap_err().class;
        assert_eq!(class, Class::Protocol);
    }
}
