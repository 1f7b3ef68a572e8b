//! Checks of what servers have said, without a server: what fuzzing feeds.

use hyper::{
    StatusCode,
    header::{HeaderMap, HeaderValue},
};

use super::{
    super::{Expectations, SnmpVersion, expect, health},
    Credentials, domain, game, grpc,
    imap::Imap,
    kafka,
    mail::Mail,
    mongodb, mqtt, mysql, ntp,
    pop3::Pop3,
    postgresql, rabbitmq, redis,
    scram::Scram,
    smtp::Smtp,
    snmp, ssh, websocket,
    wire::{self, Stream, Wire},
};
use crate::egress::{Failure, Http2Answer};

/// The protocols whose answers this program reads itself.
pub const REPLAY_PROTOCOLS: [&str; 19] = [
    "domain",
    "game",
    "grpc",
    "health",
    "imap",
    "kafka",
    "mongodb",
    "mqtt",
    "mysql",
    "ntp",
    "pop3",
    "postgresql",
    "rabbitmq",
    "redis",
    "scram",
    "smtp",
    "snmp",
    "ssh",
    "websocket",
];

const ADA: Credentials<'static> = Credentials {
    username: "ada",
    password: "s3cr3t",
};
const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
const MARK: [u8; 8] = *b"12345678";
const QUESTION: snmp::Question<'static> = snmp::Question {
    version: SnmpVersion::V2c,
    community: "public",
    id: 0x0102_0304,
    object: snmp::UPTIME,
};

/// What becomes of a check whose server says this and then hangs up; nothing if there is no such protocol.
pub async fn replay_check(protocol: &str, bytes: &[u8]) -> Option<Result<(), Failure>> {
    match replay_message(protocol, bytes) {
        None => Box::pin(replay_stream(protocol, bytes)).await,
        outcome => outcome,
    }
}

/// Protocols whose answer is one message.
fn replay_message(protocol: &str, bytes: &[u8]) -> Option<Result<(), Failure>> {
    let usual = Expectations::default();
    Some(match protocol {
        "domain" => domain::read(bytes, "example.com").map(|_| ()),
        "game" => match game::read(bytes) {
            Some(game::Answer::Info(document)) => expect::document(&usual, &document),
            _ => Ok(()),
        },
        "grpc" => grpc::judge(&grpc_answer(bytes)),
        "health" => {
            health::parts(bytes);
            Ok(())
        }
        "ntp" => match ntp::read(bytes, MARK) {
            Some(answer) => ntp::check_state(&answer),
            None => Ok(()),
        },
        "scram" => replay_scram(bytes),
        "snmp" => match QUESTION.read(bytes) {
            Some(outcome) => outcome.and_then(|document| expect::document(&usual, &document)),
            None => Ok(()),
        },
        _ => return None,
    })
}

fn grpc_answer(body: &[u8]) -> Http2Answer {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    Http2Answer {
        status: StatusCode::OK,
        headers: HeaderMap::new(),
        body: body.to_vec(),
        trailers,
    }
}

/// The challenge and, behind a line break, the proof of a server.
fn replay_scram(bytes: &[u8]) -> Result<(), Failure> {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (challenge, proof) = bytes.split_at(end.unwrap_or(bytes.len()));
    let mut scram = Scram::with_nonce(ADA, NONCE.to_owned());
    scram.final_message(challenge)?;
    scram.verify(proof.get(1..).unwrap_or_default())
}

async fn replay_stream(protocol: &str, bytes: &[u8]) -> Option<Result<(), Failure>> {
    let ada = Some(ADA);
    Some(match protocol {
        "imap" => wire::replay(bytes, async |wire| talk::<Imap, _>(wire).await).await,
        "kafka" => wire::replay(bytes, async |wire| kafka::talk(wire, ada).await).await,
        "mongodb" => wire::replay(bytes, async |wire| mongodb::talk(wire, ada, "a").await).await,
        "mqtt" => wire::replay(bytes, async |wire| mqtt::read_answer(wire, true).await).await,
        "mysql" => {
            let read = wire::replay(bytes, async |wire| mysql::replay(wire, ADA).await);
            read.await.map(|_| ())
        }
        "pop3" => wire::replay(bytes, async |wire| talk::<Pop3, _>(wire).await).await,
        "postgresql" => {
            let read = wire::replay(bytes, async |wire| {
                postgresql::talk(wire, ADA, true, "SELECT 1").await
            });
            read.await.map(|_| ())
        }
        "rabbitmq" => wire::replay(bytes, async |wire| rabbitmq::talk(wire, ada, "/").await).await,
        "redis" => {
            let database = Some("1".to_owned());
            let read = wire::replay(bytes, async |wire| {
                redis::talk(wire, ada, database, None).await
            });
            read.await.map(|_| ())
        }
        "smtp" => wire::replay(bytes, async |wire| talk::<Smtp, _>(wire).await).await,
        "ssh" => {
            let read = wire::replay(bytes, async |wire| ssh::banner(wire).await);
            read.await.map(|_| ())
        }
        "websocket" => {
            let expect = Expectations {
                contains: Some("ready".to_owned()),
                ..Expectations::default()
            };
            websocket::replay(bytes, &expect).await
        }
        _ => return None,
    })
}

/// What a mail server says.
async fn talk<M: Mail, S: Stream>(wire: &mut Wire<'_, S>) -> Result<(), Failure> {
    M::greet(wire).await?;
    M::talk(wire, Some(ADA)).await
}
