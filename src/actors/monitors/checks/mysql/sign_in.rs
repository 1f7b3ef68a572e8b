//! The greeting of a server, and how a password is proven: `mysql_native_password` and `caching_sha2_password`.

use ring::digest;

use super::{
    super::{
        Credentials,
        reader::{Reader, broken},
        wire::Stream,
    },
    NAME,
    answers::{END, ERR, OK, Packets, error},
};
use crate::egress::{Class, Failure};

const NATIVE: &str = "mysql_native_password";
const CACHING: &str = "caching_sha2_password";
/// Long passwords, protocol 4.1, transactions, challenges of 20 bytes, names of kinds of sign-in.
const CAPABILITIES: u32 = 0x1 | 0x200 | 0x2000 | 0x8000 | 0x8_0000;
const WITH_DATABASE: u32 = 0x8;
const TLS: u32 = 0x800;
const MAX_PACKET: u32 = 1 << 24;
/// `utf8mb4_general_ci`.
const CHARSET: u8 = 45;
/// Bytes of a challenge.
const CHALLENGE: usize = 20;
/// More follows about `caching_sha2_password`.
const MORE: u8 = 1;
const IS_CACHED: u8 = 3;
const WANTS_PASSWORD: u8 = 4;
/// Packets of a sign-in.
const MAX_PACKETS: usize = 10;

/// The first packet of a server.
#[derive(Debug)]
pub(super) struct Greeting {
    challenge: Vec<u8>,
    method: String,
    pub(super) has_tls: bool,
}

impl Greeting {
    pub(super) fn read(packet: &[u8]) -> Result<Self, Failure> {
        let mut reader = Reader::new(packet, NAME);
        match reader.byte()? {
            10 => {}
            ERR => return Err(error(packet)),
            _ => return Err(broken(NAME)),
        }
        reader.text()?;
        reader.take(4)?;
        let mut challenge = reader.take(8)?.to_vec();
        reader.take(1)?;
        let low = u16::from_le_bytes(reader.array()?);
        reader.take(3 + 2)?;
        let length = usize::from(reader.byte()?);
        reader.take(10)?;
        let rest = length.saturating_sub(8).max(13);
        challenge.extend(reader.take(rest)?);
        challenge.truncate(CHALLENGE);
        // Old servers leave out the byte that ends the name.
        let method = reader.rest().split(|byte| *byte == 0).next();
        Ok(Self {
            challenge,
            method: String::from_utf8_lossy(method.unwrap_or_default()).into_owned(),
            has_tls: u32::from(low) & TLS != 0,
        })
    }
}

fn head(has_database: bool, tls: bool) -> Vec<u8> {
    let mut flags = CAPABILITIES;
    if has_database {
        flags |= WITH_DATABASE;
    }
    if tls {
        flags |= TLS;
    }
    let mut head = flags.to_le_bytes().to_vec();
    head.extend(MAX_PACKET.to_le_bytes());
    head.push(CHARSET);
    head.extend([0; 23]);
    head
}

pub(super) fn tls_request(has_database: bool) -> Vec<u8> {
    head(has_database, true)
}

/// The answer to a greeting.
pub(super) fn respond(
    greeting: &Greeting,
    credentials: Credentials<'_>,
    database: Option<&str>,
    tls: bool,
) -> Result<Vec<u8>, Failure> {
    // What we don't know the server changes to what its user has.
    let method = if greeting.method == CACHING {
        CACHING
    } else {
        NATIVE
    };
    let proof = prove(method, credentials.password, &greeting.challenge)?;
    let mut body = head(database.is_some(), tls);
    body.extend(credentials.username.as_bytes());
    body.extend([0, proof.len() as u8]);
    body.extend(proof);
    if let Some(database) = database {
        body.extend(database.as_bytes());
        body.push(0);
    }
    body.extend(method.as_bytes());
    body.push(0);
    Ok(body)
}

pub(super) async fn sign_in<S: Stream>(
    packets: &mut Packets<'_, '_, S>,
    greeting: &Greeting,
    password: &str,
    is_encrypted: bool,
) -> Result<(), Failure> {
    let mut method = greeting.method.clone();
    for _ in 0..MAX_PACKETS {
        let packet = packets.read().await?;
        let mut reader = Reader::new(&packet, NAME);
        match reader.byte()? {
            OK => return Ok(()),
            ERR => return Err(error(&packet)),
            END => {
                method = String::from_utf8_lossy(reader.text()?).into_owned();
                let challenge = reader.rest();
                let challenge = challenge.get(..CHALLENGE).unwrap_or(challenge);
                packets.send(&prove(&method, password, challenge)?).await?;
            }
            MORE if method == CACHING => match reader.byte()? {
                IS_CACHED => {}
                WANTS_PASSWORD if is_encrypted => {
                    packets.send(&[password.as_bytes(), &[0]].concat()).await?;
                }
                WANTS_PASSWORD => {
                    let message = "the server wants the password without TLS: set `request.tls`";
                    return Err(Failure::new(Class::Credentials, message));
                }
                _ => return Err(broken(NAME)),
            },
            _ => return Err(broken(NAME)),
        }
    }
    Err(broken(NAME))
}

/// The proof that the password is known, without the password.
fn prove(method: &str, password: &str, challenge: &[u8]) -> Result<Vec<u8>, Failure> {
    let kind = match method {
        NATIVE => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        CACHING => &digest::SHA256,
        _ => {
            let message = "the server wants another kind of sign-in";
            return Err(Failure::new(Class::Credentials, message));
        }
    };
    if password.is_empty() {
        return Ok(Vec::new());
    }
    let once = digest::digest(kind, password.as_bytes());
    let twice = digest::digest(kind, once.as_ref());
    let mixed = if method == NATIVE {
        [challenge, twice.as_ref()].concat()
    } else {
        [twice.as_ref(), challenge].concat()
    };
    let mixed = digest::digest(kind, &mixed);
    let both = once.as_ref().iter().zip(mixed.as_ref());
    Ok(both.map(|(one, other)| one ^ other).collect())
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::wire::{
            Wire,
            testing::{ADA, failed, served},
        },
        *,
    };

    fn packet(body: &[u8]) -> Vec<u8> {
        let [a, b, c, _] = (body.len() as u32).to_le_bytes();
        [&[a, b, c, 1][..], body].concat()
    }

    fn greeting(method: &str) -> Vec<u8> {
        let mut bytes = b"\x0a8.0.1\0\x01\0\0\0abcdefgh\0".to_vec();
        bytes.extend([0xff, 0xff, 45, 2, 0, 0xff, 0xff, 21]);
        bytes.extend([0; 10]);
        bytes.extend(b"ijklmnopqrst\0");
        bytes.extend(method.as_bytes());
        bytes.push(0);
        bytes
    }

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>, tls: bool) -> Result<(), Failure> {
        let mut packets = Packets::new(wire, 0);
        let greeting = Greeting::read(&packets.read().await?)?;
        let response = respond(&greeting, ADA, Some("shop"), tls)?;
        packets.send(&response).await?;
        sign_in(&mut packets, &greeting, ADA.password, tls).await
    }

    #[test]
    fn a_greeting_has_its_challenge_and_method() {
        let greeting = Greeting::read(&greeting(CACHING)).unwrap();
        assert_eq!(greeting.challenge, b"abcdefghijklmnopqrst");
        assert_eq!((&*greeting.method, greeting.has_tls), (CACHING, true));
        let response = respond(&greeting, ADA, Some("shop"), false).unwrap();
        assert_eq!(response[32..37], *b"ada\0\x20");
        assert!(response.ends_with(b"shop\0caching_sha2_password\0"));
    }

    #[test]
    fn a_password_is_proven_by_both_methods() {
        let challenge = b"abcdefghijklmnopqrst";
        let native = prove(NATIVE, "secret", challenge).unwrap();
        let caching = prove(CACHING, "secret", challenge).unwrap();
        assert_eq!((native.len(), caching.len()), (20, 32));
        assert_eq!(
            data_encoding::HEXLOWER.encode(&native),
            "8817c50fa779daef010ee7577825b0847df9842e"
        );
        assert_eq!(
            data_encoding::HEXLOWER.encode(&caching),
            "c76e2898612a4cf042c77fa8c4702c4c64c0c2c557c53c4d75595aaa6abae809"
        );
        assert!(prove(NATIVE, "", challenge).unwrap().is_empty());
        assert!(prove("mysql_clear_password", "secret", challenge).is_err());
    }

    #[tokio::test]
    async fn a_user_may_be_changed_to_another_method() {
        let switch = [&b"\xfe"[..], NATIVE.as_bytes(), b"\0tsrqponmlkjihgfedcba\0"].concat();
        let all = [packet(&greeting("x")), packet(&switch), packet(&[OK])].concat();
        let outcome = served(&all, async |wire| whole(wire, false).await).await;
        assert!(outcome.is_ok());
    }

    #[tokio::test]
    async fn a_password_is_sent_over_tls_alone() {
        let wants = packet(&[MORE, WANTS_PASSWORD]);
        let all = [packet(&greeting(CACHING)), wants, packet(&[OK])].concat();
        let outcome = served(&all, async |wire| whole(wire, true).await).await;
        assert!(outcome.is_ok());
        let class = failed(&all, async |wire| whole(wire, false).await).await;
        assert_eq!(class, Class::Credentials);
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let after = |body: &[u8]| [packet(&greeting(CACHING)), packet(body)].concat();
        let clear = b"\xfemysql_clear_password\0";
        let endless = packet(&[MORE, IS_CACHED]).repeat(MAX_PACKETS);
        for (answers, class) in [
            (Vec::new(), Class::Closed),
            (packet(b"\x09old"), Class::Protocol),
            (packet(b"\x0a8.0.1"), Class::Protocol),
            (packet(&greeting(CACHING)[..30]), Class::Protocol),
            (packet(&[ERR, 0x69, 0x04]), Class::ServerError),
            (after(&[ERR, 0x15, 0x04]), Class::Credentials),
            (after(clear), Class::Credentials),
            (after(b"\xfeno end"), Class::Protocol),
            (after(&[9]), Class::Protocol),
            (
                [packet(&greeting(CACHING)), endless].concat(),
                Class::Protocol,
            ),
        ] {
            let found = failed(&answers, async |wire| whole(wire, true).await).await;
            assert_eq!(found, class, "{answers:?}");
        }
    }
}
