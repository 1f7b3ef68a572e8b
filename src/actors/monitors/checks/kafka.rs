//! Kafka: `ApiVersions`, SASL PLAIN and `Metadata`.

use super::{
    Credentials, Probe, if_closed, no_credentials,
    reader::{Reader, broken},
    refused_credentials, server_error,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const NAME: &str = "Kafka";
const METADATA: u16 = 3;
const SASL_HANDSHAKE: u16 = 17;
const API_VERSIONS: u16 = 18;
const SASL_AUTHENTICATE: u16 = 36;
/// The oldest version of `Metadata` that new brokers speak is newer than this one, which old brokers speak.
const OLD_METADATA: u16 = 1;
/// With a throttle time, and whether topics are created. Without tagged fields.
const NEW_METADATA: u16 = 4;
const MAX_BROKERS: u32 = 10_000;
/// Errors: unsupported mechanism, failed sign-in.
const NO_MECHANISM: u16 = 33;
const NO_SIGN_IN: u16 = 58;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let tls = probe.asks_for_tls();
    let mut wire = probe.open(tls, &mut result.trace).await?;
    talk(&mut wire, probe.credentials()).await
}

pub(super) async fn talk<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Option<Credentials<'_>>,
) -> Result<(), Failure> {
    let newest = find_version(wire).await?;
    if let Some(credentials) = credentials {
        sign_in(wire, credentials).await?;
    }
    let version = if newest >= NEW_METADATA {
        NEW_METADATA
    } else {
        OLD_METADATA
    };
    let found = find_brokers(wire, version).await;
    match credentials {
        Some(_) => found,
        // Brokers that want a sign-in hang up on everything else.
        None => found.map_err(|failure| if_closed(failure, no_credentials)),
    }
}

/// Sends a request and answers with the body of its response.
async fn ask<S: Stream>(
    wire: &mut Wire<'_, S>,
    (key, version): (u16, u16),
    body: &[u8],
) -> Result<Vec<u8>, Failure> {
    // The request's number is its key, so that answers to others are noticed.
    let number = u32::from(key);
    let mut message = Vec::new();
    message.extend(key.to_be_bytes());
    message.extend(version.to_be_bytes());
    message.extend(number.to_be_bytes());
    message.extend(b"\0\x06pharos");
    message.extend(body);
    let length = (message.len() as u32).to_be_bytes();
    wire.send(&[&length[..], &message].concat()).await?;
    let length = u32::from_be_bytes(wire.array::<4>().await?) as usize;
    let answer = wire.take(length).await?;
    let mut reader = Reader::new(&answer, NAME);
    if u32::from_be_bytes(reader.array()?) != number {
        return Err(broken(NAME));
    }
    Ok(reader.rest().to_vec())
}

/// Reads the code of an error; 0 is none.
fn check_code(reader: &mut Reader<'_>) -> Result<(), Failure> {
    match u16::from_be_bytes(reader.array()?) {
        0 => Ok(()),
        NO_SIGN_IN => Err(refused_credentials()),
        NO_MECHANISM => {
            let message = "the server offers no SASL PLAIN";
            Err(Failure::new(Class::Credentials, message))
        }
        code => Err(server_error(code)),
    }
}

/// The newest version of `Metadata` that the broker speaks.
async fn find_version<S: Stream>(wire: &mut Wire<'_, S>) -> Result<u16, Failure> {
    let answer = ask(wire, (API_VERSIONS, 0), b"").await?;
    let mut reader = Reader::new(&answer, NAME);
    check_code(&mut reader)?;
    let count = u32::from_be_bytes(reader.array()?);
    for _ in 0..count {
        let key = u16::from_be_bytes(reader.array()?);
        let _oldest = reader.take(2)?;
        let newest = u16::from_be_bytes(reader.array()?);
        if key == METADATA {
            return Ok(newest);
        }
    }
    Err(broken(NAME))
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    Credentials { username, password }: Credentials<'_>,
) -> Result<(), Failure> {
    let answer = ask(wire, (SASL_HANDSHAKE, 1), b"\0\x05PLAIN").await?;
    check_code(&mut Reader::new(&answer, NAME))?;
    let both = format!("\0{username}\0{password}");
    let length = (both.len() as u32).to_be_bytes();
    let body = [&length[..], both.as_bytes()].concat();
    let answer = ask(wire, (SASL_AUTHENTICATE, 0), &body).await;
    let answer = answer.map_err(|failure| if_closed(failure, refused_credentials))?;
    check_code(&mut Reader::new(&answer, NAME))
}

/// Asks for the brokers of the cluster. There has to be one.
async fn find_brokers<S: Stream>(wire: &mut Wire<'_, S>, version: u16) -> Result<(), Failure> {
    // No topics, and none is created.
    let body: &[u8] = if version == NEW_METADATA {
        &[0, 0, 0, 0, 0]
    } else {
        &[0, 0, 0, 0]
    };
    let answer = ask(wire, (METADATA, version), body).await?;
    let mut reader = Reader::new(&answer, NAME);
    if version == NEW_METADATA {
        reader.take(4)?;
    }
    let count = u32::from_be_bytes(reader.array()?);
    if count == 0 {
        let message = "the cluster has no broker";
        return Err(Failure::new(Class::ServerError, message));
    }
    if count > MAX_BROKERS {
        return Err(broken(NAME));
    }
    for _ in 0..count {
        reader.take(4)?;
        text(&mut reader)?;
        reader.take(4)?;
        text(&mut reader)?;
    }
    Ok(())
}

/// A text, which may be missing (-1).
fn text(reader: &mut Reader<'_>) -> Result<(), Failure> {
    let length = i16::from_be_bytes(reader.array()?);
    reader
        .take(usize::try_from(length).unwrap_or(0))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{ADA, failed, served},
        *,
    };

    fn answer(key: u16, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&length[..], &u32::from(key).to_be_bytes(), body].concat()
    }

    fn versions() -> Vec<u8> {
        answer(API_VERSIONS, &[0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 12])
    }

    fn brokers() -> Vec<u8> {
        let one = b"\0\0\0\x01\0\x01a\0\0\x23\x84\xff\xff";
        answer(METADATA, &[&[0, 0, 0, 0, 0, 0, 0, 1][..], one].concat())
    }

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>) -> Result<(), Failure> {
        talk(wire, Some(ADA)).await
    }

    fn signed_in() -> Vec<u8> {
        let handshake = answer(SASL_HANDSHAKE, &[0, 0, 0, 0, 0, 0]);
        let sign_in = answer(SASL_AUTHENTICATE, &[0, 0, 0xff, 0xff, 0, 0, 0, 0]);
        [versions(), handshake, sign_in].concat()
    }

    #[tokio::test]
    async fn a_cluster_is_signed_in_to_and_has_a_broker() {
        let all = [signed_in(), brokers()].concat();
        let outcome = served(&all, async |wire| whole(wire).await).await;
        assert_eq!(outcome, Ok(()));
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let after = |rest: Vec<u8>| [signed_in(), rest].concat();
        let handshake = |code| [versions(), answer(SASL_HANDSHAKE, &[0, code])].concat();
        for (answers, class) in [
            (Vec::new(), Class::Closed),
            (
                b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
                Class::BodyTooLarge,
            ),
            (vec![0xff; 8], Class::BodyTooLarge),
            (answer(METADATA, b""), Class::Protocol),
            (answer(API_VERSIONS, &[0, 35]), Class::ServerError),
            (
                answer(API_VERSIONS, &[0, 0, 0xff, 0xff, 0xff, 0xff]),
                Class::Protocol,
            ),
            (handshake(33), Class::Credentials),
            (handshake(0), Class::Credentials),
            (after(answer(METADATA, &[0; 8])), Class::ServerError),
            (after(answer(METADATA, &[0xff; 8])), Class::Protocol),
            (
                after(answer(METADATA, &[0, 0, 0, 0, 0, 0, 0, 1])),
                Class::Protocol,
            ),
        ] {
            let found = failed(&answers, async |wire| whole(wire).await).await;
            assert_eq!(found, class, "{answers:?}");
        }
    }
}
