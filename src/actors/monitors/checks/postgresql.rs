//! PostgreSQL, protocol 3.0: TLS request, start-up, sign-in (SCRAM-SHA-256, MD5, a password over TLS) and one statement.
//!
//! Written here because drivers send the password in the clear when a server asks for it, and take messages of any size.

use md5::{Digest as _, Md5};

use super::{
    Credentials, Probe, no_tls,
    reader::{Reader, broken},
    refused_credentials,
    scram::{MECHANISM, Scram},
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const NAME: &str = "PostgreSQL";
const VERSION: u32 = 3 << 16;
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
const TERMINATE: [u8; 5] = [b'X', 0, 0, 0, 4];
/// Messages of an answer.
const MAX_MESSAGES: usize = 10_000;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let trace = &mut result.trace;
    let is_encrypted = probe.asks_for_tls();
    let mut wire = if is_encrypted {
        let mut wire = probe.open_plain(trace).await?;
        if !ask_for_tls(&mut wire).await? {
            return Err(no_tls());
        }
        probe.upgrade(wire.into_stream()?, trace).await?
    } else {
        probe.open(false, trace).await?
    };
    let Some(credentials) = probe.credentials() else {
        if !is_encrypted {
            // The answer to this request proves that it is PostgreSQL, and leaves no error in its log.
            ask_for_tls(&mut wire).await?;
        }
        return Ok(());
    };
    let database = probe.segment();
    wire.send(&start_message(credentials, database.as_deref()))
        .await?;
    let statement = probe.statement().unwrap_or("SELECT 1");
    let value = talk(&mut wire, credentials, is_encrypted, statement).await?;
    wire.close(&TERMINATE).await;
    probe.assert_text(&value).await
}

/// Signs in after the start message, and runs a statement.
pub(super) async fn talk<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Credentials<'_>,
    is_encrypted: bool,
    statement: &str,
) -> Result<String, Failure> {
    sign_in(wire, credentials, is_encrypted).await?;
    query(wire, statement).await
}

async fn ask_for_tls<S: Stream>(wire: &mut Wire<'_, S>) -> Result<bool, Failure> {
    wire.send(&TLS_REQUEST).await?;
    match wire.array::<1>().await? {
        [b'S'] => Ok(true),
        [b'N'] => Ok(false),
        _ => Err(broken(NAME)),
    }
}

fn start_message(credentials: Credentials<'_>, database: Option<&str>) -> Vec<u8> {
    let username = credentials.username;
    let mut body = VERSION.to_be_bytes().to_vec();
    for (name, value) in [
        ("user", username),
        ("database", database.unwrap_or(username)),
        ("application_name", "pharos"),
        ("client_encoding", "UTF8"),
    ] {
        body.extend(ended(name));
        body.extend(ended(value));
    }
    body.push(0);
    let length = (body.len() + 4) as u32;
    [&length.to_be_bytes()[..], &body].concat()
}

/// A text with the zero byte that ends it.
fn ended(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() + 4) as u32;
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

async fn read_message<S: Stream>(wire: &mut Wire<'_, S>) -> Result<(u8, Vec<u8>), Failure> {
    let [kind, a, b, c, d] = wire.array::<5>().await?;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    let length = length.checked_sub(4).ok_or_else(|| broken(NAME))?;
    if !kind.is_ascii_alphanumeric() {
        return Err(broken(NAME));
    }
    Ok((kind, wire.take(length).await?))
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Credentials<'_>,
    is_encrypted: bool,
) -> Result<(), Failure> {
    let mut scram = Scram::new(credentials)?;
    for _ in 0..MAX_MESSAGES {
        let (kind, body) = read_message(wire).await?;
        match kind {
            b'R' => {
                let answer = authenticate(&body, credentials, is_encrypted, &mut scram)?;
                if let Some(answer) = answer {
                    wire.send(&message(b'p', &answer)).await?;
                }
            }
            b'E' => return Err(error(&body)),
            // Settings, the key of a cancellation, notices, versions.
            b'S' | b'K' | b'N' | b'v' => {}
            b'Z' => return Ok(()),
            _ => return Err(broken(NAME)),
        }
    }
    Err(broken(NAME))
}

/// The answer to a request of the server for proof, if it wants one.
fn authenticate(
    body: &[u8],
    credentials: Credentials<'_>,
    is_encrypted: bool,
    scram: &mut Scram<'_>,
) -> Result<Option<Vec<u8>>, Failure> {
    let refused = |message: &str| Err(Failure::new(Class::Credentials, message));
    let mut reader = Reader::new(body, NAME);
    match u32::from_be_bytes(reader.array()?) {
        0 => Ok(None),
        3 if is_encrypted => Ok(Some(ended(credentials.password))),
        3 => refused("the server wants the password without TLS: set `request.tls`"),
        5 => {
            let Credentials { username, password } = credentials;
            let inner = hex_md5(&[password.as_bytes(), username.as_bytes()]);
            let outer = hex_md5(&[inner.as_bytes(), &reader.array::<4>()?]);
            Ok(Some(ended(&format!("md5{outer}"))))
        }
        10 => {
            while reader.text()? != MECHANISM.as_bytes() {
                if reader.rest().first().is_none_or(|byte| *byte == 0) {
                    return refused("the server offers no SCRAM-SHA-256");
                }
            }
            let first = scram.first_message();
            let length = (first.len() as u32).to_be_bytes();
            Ok(Some(
                [&ended(MECHANISM)[..], &length, first.as_bytes()].concat(),
            ))
        }
        11 => Ok(Some(scram.final_message(reader.rest())?.into_bytes())),
        12 => scram.verify(reader.rest()).map(|()| None),
        _ => refused("the server wants another kind of sign-in"),
    }
}

fn hex_md5(parts: &[&[u8]]) -> String {
    let mut hash = Md5::new();
    for part in parts {
        hash.update(part);
    }
    data_encoding::HEXLOWER.encode(&hash.finalize()[..])
}

/// Runs a statement and answers with the first value of the first row.
async fn query<S: Stream>(wire: &mut Wire<'_, S>, statement: &str) -> Result<String, Failure> {
    wire.send(&message(b'Q', &ended(statement))).await?;
    let mut value = None;
    for _ in 0..MAX_MESSAGES {
        let (kind, body) = read_message(wire).await?;
        match kind {
            b'D' if value.is_none() => value = Some(first_value(&body)?),
            // Columns, rows, ends of statements, notices, settings, notifications.
            b'T' | b'D' | b'C' | b'I' | b'N' | b'S' | b'A' => {}
            b'E' => return Err(error(&body)),
            b'G' | b'H' | b'W' => {
                let message = "the statement copies data, which a check can't";
                return Err(Failure::new(Class::ServerError, message));
            }
            b'Z' => return Ok(value.unwrap_or_default()),
            _ => return Err(broken(NAME)),
        }
    }
    Err(Failure::new(
        Class::BodyTooLarge,
        "the statement answers with too many rows",
    ))
}

fn first_value(body: &[u8]) -> Result<String, Failure> {
    let mut reader = Reader::new(body, NAME);
    if u16::from_be_bytes(reader.array()?) == 0 {
        return Ok(String::new());
    }
    let length = i32::from_be_bytes(reader.array()?);
    // -1 is NULL.
    let Ok(length) = usize::try_from(length) else {
        return Ok(String::new());
    };
    Ok(String::from_utf8_lossy(reader.take(length)?).into_owned())
}

/// An error by its SQLSTATE.
fn error(body: &[u8]) -> Failure {
    let fields = body.split(|byte| *byte == 0);
    let code = fields
        .filter_map(|field| field.strip_prefix(b"C"))
        .find(|code| code.len() == 5 && code.iter().all(u8::is_ascii_alphanumeric));
    let code = String::from_utf8_lossy(code.unwrap_or_default());
    if code.starts_with("28") {
        return refused_credentials();
    }
    let message = format!("the server answered with the error {code}");
    Failure::new(Class::ServerError, message.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{ADA, failed, served},
        *,
    };

    fn told(code: u32, rest: &[u8]) -> Vec<u8> {
        message(b'R', &[&code.to_be_bytes()[..], rest].concat())
    }

    #[test]
    fn the_start_message_has_its_length() {
        let start = start_message(ADA, None);
        assert_eq!(start[..4], (start.len() as u32).to_be_bytes());
        let text = String::from_utf8_lossy(&start[8..]).replace('\0', " ");
        assert!(text.starts_with("user ada database ada "), "{text}");
    }

    #[tokio::test]
    async fn a_statement_answers_with_its_first_value() {
        let row = message(b'D', b"\0\x02\0\0\0\x02ab\xff\xff\xff\xff");
        let all = [message(b'T', b"x"), row.clone(), row, message(b'Z', b"I")];
        let value = served(&all.concat(), async |wire| query(wire, "x").await).await;
        assert_eq!(value.unwrap(), "ab");
        let null = message(b'D', b"\0\x01\xff\xff\xff\xff");
        let none = [null, message(b'Z', b"I")].concat();
        let value = served(&none, async |wire| query(wire, "x").await).await;
        assert_eq!(value.unwrap(), "");
    }

    #[tokio::test]
    async fn a_password_is_sent_in_the_clear_over_tls_alone() {
        let asked = [told(3, b""), told(0, b""), message(b'Z', b"I")].concat();
        let over_tls = served(&asked, async |wire| sign_in(wire, ADA, true).await).await;
        assert!(over_tls.is_ok());
        let class = failed(&asked, async |wire| sign_in(wire, ADA, false).await).await;
        assert_eq!(class, Class::Credentials);
    }

    #[test]
    fn md5_is_answered_with_the_salted_hash() {
        let mut scram = Scram::new(ADA).unwrap();
        let answer = authenticate(b"\0\0\0\x05abcd", ADA, false, &mut scram);
        let answer = String::from_utf8(answer.unwrap().unwrap()).unwrap();
        let inner = hex_md5(&[b"secretada"]);
        assert_eq!(
            answer,
            format!("md5{}\0", hex_md5(&[inner.as_bytes(), b"abcd"]))
        );
        assert_eq!(hex_md5(&[b"a", b"bc"]), "900150983cd24fb0d6963f7d28e17f72");
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let with_code = |code: &str| message(b'E', format!("SFATAL\0C{code}\0Mno\0\0").as_bytes());
        let endless = message(b'N', b"").repeat(MAX_MESSAGES);
        for (answers, class) in [
            (Vec::new(), Class::Closed),
            (
                b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
                Class::BodyTooLarge,
            ),
            (vec![b'R', 0, 0, 0, 3], Class::Protocol),
            (vec![b'R', 0xff, 0xff, 0xff, 0xff], Class::BodyTooLarge),
            (vec![0, 0, 0, 0, 4], Class::Protocol),
            (told(5, b"a"), Class::Protocol),
            (told(7, b""), Class::Credentials),
            (told(10, b"PLAIN\0\0"), Class::Credentials),
            (told(10, b"PLAIN"), Class::Protocol),
            (told(11, b"r=x"), Class::Protocol),
            (with_code("28P01"), Class::Credentials),
            (with_code("3D000"), Class::ServerError),
            (endless, Class::Protocol),
        ] {
            let found = failed(&answers, async |wire| sign_in(wire, ADA, true).await).await;
            assert_eq!(found, class, "{answers:?}");
        }
        assert!(!error(b"Msecret\0\0").message.contains("secret"));
    }
}
