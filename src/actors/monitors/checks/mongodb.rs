//! MongoDB 3.6 and later: `hello`, SCRAM-SHA-256 and `ping`, in `OP_MSG`.

use super::{
    Credentials, Probe,
    bson::{Document, Value, find},
    no_credentials,
    reader::{Reader, broken},
    refused_credentials,
    scram::{MECHANISM, Scram},
    server_error,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const NAME: &str = "MongoDB";
const OP_MSG: u32 = 2_013;
/// Bytes of a header, flags included, and the kind of the only section.
const HEAD: usize = 16 + 4 + 1;
/// Where users are kept unless the target names another database.
const ADMIN: &str = "admin";
/// Empty messages after the last proof.
const MAX_ROUNDS: usize = 3;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let tls = probe.asks_for_tls();
    let mut wire = probe.open(tls, &mut result.trace).await?;
    let database = probe.segment().unwrap_or_else(|| ADMIN.to_owned());
    talk(&mut wire, probe.credentials(), &database).await
}

pub(super) async fn talk<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Option<Credentials<'_>>,
    database: &str,
) -> Result<(), Failure> {
    command(wire, Document::default().number("hello", 1), ADMIN).await?;
    if let Some(credentials) = credentials {
        sign_in(wire, credentials, database).await?;
    }
    let ping = Document::default().number("ping", 1);
    command(wire, ping, ADMIN).await.map(|_| ())
}

/// Runs a command and answers with its document, which says that it worked.
async fn command<S: Stream>(
    wire: &mut Wire<'_, S>,
    command: Document,
    database: &str,
) -> Result<Vec<u8>, Failure> {
    let document = command.text("$db", database).finish();
    let length = (HEAD + document.len()) as u32;
    let mut message = Vec::new();
    for number in [length, 1, 0, OP_MSG, 0] {
        message.extend(number.to_le_bytes());
    }
    message.push(0);
    message.extend(document);
    wire.send(&message).await?;
    let head = wire.array::<HEAD>().await?;
    let mut reader = Reader::new(&head, NAME);
    let length = u32::from_le_bytes(reader.array()?) as usize;
    reader.take(8)?;
    let kind = u32::from_le_bytes(reader.array()?);
    // The flags. One says that a checksum follows, which is left unread.
    reader.take(4)?;
    if kind != OP_MSG || reader.byte()? != 0 {
        return Err(broken(NAME));
    }
    let rest = length.checked_sub(HEAD).ok_or_else(|| broken(NAME))?;
    let answer = wire.take(rest).await?;
    match find(&answer, "ok")? {
        Some(Value::Number(1.0) | Value::Bool(true)) => Ok(answer),
        Some(Value::Number(_) | Value::Bool(_)) => Err(error(find(&answer, "code")?.as_ref())),
        _ => Err(broken(NAME)),
    }
}

/// An error by its code.
fn error(code: Option<&Value<'_>>) -> Failure {
    let Some(Value::Number(code)) = code else {
        return Failure::new(Class::ServerError, "the server answered with an error");
    };
    match *code as i64 {
        13 => no_credentials(),
        18 => refused_credentials(),
        code => server_error(code),
    }
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Credentials<'_>,
    database: &str,
) -> Result<(), Failure> {
    let mut scram = Scram::new(credentials)?;
    let start = Document::default()
        .number("saslStart", 1)
        .text("mechanism", MECHANISM)
        .binary("payload", scram.first_message().as_bytes());
    let challenge = command(wire, start, database).await?;
    let Some(Value::Number(id)) = find(&challenge, "conversationId")? else {
        return Err(broken(NAME));
    };
    let go_on = |payload: &[u8]| {
        Document::default()
            .number("saslContinue", 1)
            .number("conversationId", id as i32)
            .binary("payload", payload)
    };
    let proof = scram.final_message(payload(&challenge)?)?;
    let mut answer = command(wire, go_on(proof.as_bytes()), database).await?;
    scram.verify(payload(&answer)?)?;
    for _ in 0..MAX_ROUNDS {
        if find(&answer, "done")? == Some(Value::Bool(true)) {
            return Ok(());
        }
        answer = command(wire, go_on(b""), database).await?;
    }
    Err(broken(NAME))
}

fn payload(answer: &[u8]) -> Result<&[u8], Failure> {
    match find(answer, "payload")? {
        Some(Value::Binary(payload)) => Ok(payload),
        _ => Err(broken(NAME)),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{failed, served},
        *,
    };

    fn answer(document: Document) -> Vec<u8> {
        let document = document.finish();
        let numbers = [(HEAD + document.len()) as u32, 7, 1, OP_MSG, 0];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
        bytes.push(0);
        bytes.extend(document);
        bytes
    }

    async fn ping<S: Stream>(wire: &mut Wire<'_, S>) -> Result<Vec<u8>, Failure> {
        command(wire, Document::default().number("ping", 1), ADMIN).await
    }

    #[tokio::test]
    async fn an_answer_says_that_the_command_worked() {
        let good = answer(Document::default().number("ok", 1));
        assert!(served(&good, async |wire| ping(wire).await).await.is_ok());
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let failure = |code| answer(Document::default().number("ok", 0).number("code", code));
        let mut short = failure(1);
        short[..4].copy_from_slice(&5_u32.to_le_bytes());
        let mut huge = failure(1);
        huge[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        for (bytes, class) in [
            (Vec::new(), Class::Closed),
            (
                b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
                Class::Protocol,
            ),
            (short, Class::Protocol),
            (huge, Class::BodyTooLarge),
            (answer(Document::default()), Class::Protocol),
            (
                answer(Document::default().number("ok", 0)),
                Class::ServerError,
            ),
            (failure(18), Class::Credentials),
            (failure(13), Class::Credentials),
            (failure(11_600), Class::ServerError),
        ] {
            let found = failed(&bytes, async |wire| ping(wire).await).await;
            assert_eq!(found, class, "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn a_challenge_without_a_payload_is_a_failure() {
        let (username, password) = ("ada", "secret");
        let ada = Credentials { username, password };
        let challenge = Document::default()
            .number("ok", 1)
            .number("conversationId", 1);
        let bytes = answer(challenge);
        let class = failed(&bytes, async |wire| sign_in(wire, ada, ADMIN).await).await;
        assert_eq!(class, Class::Protocol);
    }
}
