//! Redis: AUTH, SELECT and one command, in RESP2.

use std::fmt::Write as _;

use super::{
    Credentials, Probe, no_credentials,
    reader::broken,
    refused_credentials, server_error,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const NAME: &str = "Redis";
/// Arrays in arrays whose first value is looked for.
const MAX_DEPTH: usize = 8;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let tls = probe.starts_with_tls();
    let mut wire = probe.open(tls, &mut result.trace).await?;
    let (credentials, statement) = (probe.credentials(), probe.statement());
    let value = talk(&mut wire, credentials, probe.segment(), statement).await?;
    probe.assert_text(&value).await
}

/// Signs in, chooses the database, and runs the command.
pub(super) async fn talk<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Option<Credentials<'_>>,
    database: Option<String>,
    command: Option<&str>,
) -> Result<String, Failure> {
    if let Some(credentials) = credentials {
        sign_in(wire, credentials).await?;
    }
    if let Some(database) = database {
        run(wire, &["SELECT".to_owned(), database]).await?;
    }
    let words = command.map(words).unwrap_or_default();
    let usual = ["PING".to_owned()];
    let command = if words.is_empty() { &usual[..] } else { &words };
    run(wire, command).await
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    Credentials { username, password }: Credentials<'_>,
) -> Result<(), Failure> {
    let mut command = vec!["AUTH".to_owned()];
    // Before version 6 there were no names.
    command.extend((!username.is_empty()).then(|| username.to_owned()));
    command.push(password.to_owned());
    match run(wire, &command).await {
        Err(failure) if failure.class == Class::ServerError => Err(refused_credentials()),
        outcome => outcome.map(|_| ()),
    }
}

/// Runs a command and answers with the first value.
async fn run<S: Stream>(wire: &mut Wire<'_, S>, command: &[String]) -> Result<String, Failure> {
    let mut bytes = format!("*{}\r\n", command.len());
    for word in command {
        let _ = write!(bytes, "${}\r\n{word}\r\n", word.len());
    }
    wire.send(bytes.as_bytes()).await?;
    read_value(wire).await
}

async fn read_value<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
    for _ in 0..=MAX_DEPTH {
        let line = wire.line().await?;
        let kind = line.chars().next().unwrap_or_default();
        let rest = line.get(kind.len_utf8()..).unwrap_or_default();
        let length = || rest.parse::<i64>().map_err(|_| broken(NAME));
        match kind {
            '+' | ':' => return Ok(rest.to_owned()),
            '-' => return Err(error(rest)),
            '$' => {
                // -1 is a missing value.
                let Ok(length) = usize::try_from(length()?) else {
                    return Ok(String::new());
                };
                let text = wire.take(length).await?;
                if wire.array::<2>().await? != *b"\r\n" {
                    return Err(broken(NAME));
                }
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            '*' if length()? <= 0 => return Ok(String::new()),
            '*' => {}
            _ => return Err(broken(NAME)),
        }
    }
    Err(broken(NAME))
}

/// The first word of an error is its code.
fn error(text: &str) -> Failure {
    let code = text.split(' ').next().unwrap_or_default();
    let is_code =
        (1..=20).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_uppercase());
    match code {
        "NOAUTH" => no_credentials(),
        "WRONGPASS" => refused_credentials(),
        _ if is_code => server_error(code),
        _ => Failure::new(Class::ServerError, "the server answered with an error"),
    }
}

/// The words of a command. Quotation marks hold words with spaces together.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let (word, after) = if matches!(first, '"' | '\'') {
            let inner = rest.get(1..).unwrap_or_default();
            inner.split_once(first).unwrap_or((inner, ""))
        } else {
            rest.split_once(char::is_whitespace).unwrap_or((rest, ""))
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{failed, served},
        *,
    };

    #[test]
    fn words_are_split_at_spaces_outside_of_quotation_marks() {
        let split = words(" GET \"a b\"  'c \"d' e\n\"f");
        assert_eq!(split, ["GET", "a b", "c \"d", "e", "f"]);
        assert!(words(" ").is_empty());
    }

    #[tokio::test]
    async fn the_first_value_is_read_in_every_form() {
        for (answer, value) in [
            ("+PONG\r\n", "PONG"),
            (":7\r\n", "7"),
            ("$5\r\na\r\nbc\r\n", "a\r\nbc"),
            ("$-1\r\n", ""),
            ("*0\r\n", ""),
            ("*2\r\n*1\r\n$1\r\nx\r\n+y\r\n", "x"),
        ] {
            let found = served(answer.as_bytes(), async |wire| read_value(wire).await).await;
            assert_eq!(found.unwrap(), value, "{answer}");
        }
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let endless = "*1\r\n".repeat(MAX_DEPTH + 2);
        for (answer, class) in [
            ("", Class::Closed),
            ("+PONG", Class::Closed),
            ("HTTP/1.1 400 Bad Request\r\n", Class::Protocol),
            ("\r\n", Class::Protocol),
            ("$99999999999\r\n", Class::BodyTooLarge),
            ("$x\r\n", Class::Protocol),
            ("$1\r\nxyz", Class::Protocol),
            (&*endless, Class::Protocol),
            ("-NOAUTH required\r\n", Class::Credentials),
            ("-WRONGPASS no\r\n", Class::Credentials),
            ("-LOADING data\r\n", Class::ServerError),
            ("-secret\r\n", Class::ServerError),
        ] {
            let found = failed(answer.as_bytes(), async |wire| read_value(wire).await).await;
            assert_eq!(found, class, "{answer}");
        }
        assert!(!error("secret words").message.contains("secret"));
    }

    #[tokio::test]
    async fn an_error_of_the_sign_in_is_about_the_credentials() {
        let (username, password) = ("", "secret");
        let ada = Credentials { username, password };
        let answer = b"-ERR invalid password\r\n";
        let class = failed(answer, async |wire| sign_in(wire, ada).await).await;
        assert_eq!(class, Class::Credentials);
    }
}
