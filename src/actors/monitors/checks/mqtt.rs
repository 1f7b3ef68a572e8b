//! MQTT 3.1.1: CONNECT and CONNACK.

use super::{
    Credentials, Probe, no_credentials,
    reader::broken,
    refused_credentials,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
const DISCONNECT: [u8; 2] = [0xe0, 0];
const WITH_USERNAME: u8 = 0x80;
const WITH_PASSWORD: u8 = 0x40;
const CLEAN_SESSION: u8 = 0x02;
/// Seconds.
const KEEP_ALIVE: u16 = 120;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let packet = connect_packet(probe.credentials())?;
    let tls = probe.starts_with_tls();
    let mut wire = probe.open(tls, &mut result.trace).await?;
    wire.send(&packet).await?;
    let is_signed_in = probe.credentials().is_some();
    read_answer(&mut wire, is_signed_in).await?;
    wire.close(&DISCONNECT).await;
    Ok(())
}

fn connect_packet(credentials: Option<Credentials<'_>>) -> Result<Vec<u8>, Failure> {
    let mut flags = CLEAN_SESSION;
    if credentials.is_some() {
        flags |= WITH_USERNAME | WITH_PASSWORD;
    }
    let mut body = Vec::new();
    put_text(&mut body, "MQTT")?;
    // Level 4 is version 3.1.1.
    body.extend([4, flags]);
    body.extend(KEEP_ALIVE.to_be_bytes());
    // A broker ends the older of two connections with the same id, so each has its own.
    let id = uuid::Uuid::new_v4().simple().to_string();
    put_text(&mut body, id.get(..20).unwrap_or(&id))?;
    if let Some(Credentials { username, password }) = credentials {
        put_text(&mut body, username)?;
        put_text(&mut body, password)?;
    }
    let mut packet = vec![CONNECT];
    let mut length = body.len();
    loop {
        let (digit, rest) = ((length % 128) as u8, length / 128);
        packet.push(if rest > 0 { digit | 0x80 } else { digit });
        length = rest;
        if rest == 0 {
            break;
        }
    }
    packet.extend(body);
    Ok(packet)
}

fn put_text(body: &mut Vec<u8>, text: &str) -> Result<(), Failure> {
    let too_long = |_| Failure::new(Class::Other, "the credentials are too long");
    let length = u16::try_from(text.len()).map_err(too_long)?;
    body.extend(length.to_be_bytes());
    body.extend(text.as_bytes());
    Ok(())
}

pub(super) async fn read_answer<S: Stream>(
    wire: &mut Wire<'_, S>,
    is_signed_in: bool,
) -> Result<(), Failure> {
    let [kind, length, flags, code] = wire.array::<4>().await?;
    if (kind, length) != (CONNACK, 2) || flags > 1 {
        return Err(broken("MQTT"));
    }
    match code {
        0 => Ok(()),
        4 | 5 if is_signed_in => Err(refused_credentials()),
        4 | 5 => Err(no_credentials()),
        1..=3 => {
            let message = format!("the broker refused the connection with code {code}");
            Err(Failure::new(Class::ServerError, message))
        }
        _ => Err(broken("MQTT")),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{failed, served},
        *,
    };

    #[test]
    fn the_packet_has_its_length_and_the_credentials() {
        let long = "x".repeat(200);
        let (username, password) = ("ada", long.as_str());
        let packet = connect_packet(Some(Credentials { username, password })).unwrap();
        let length = usize::from(packet[1] & 0x7f) + 128 * usize::from(packet[2]);
        assert_eq!((packet[0], length), (CONNECT, packet.len() - 3));
        assert_eq!(packet[3..11], *b"\0\x04MQTT\x04\xc2");
        assert!(packet.ends_with(password.as_bytes()));
        assert_eq!(connect_packet(None).unwrap()[9], CLEAN_SESSION);
    }

    #[tokio::test]
    async fn what_brokers_answer_is_told_apart() {
        let good = served(&[CONNACK, 2, 0, 0], async |wire| {
            read_answer(wire, true).await
        });
        assert!(good.await.is_ok());
        for (answer, class) in [
            (&[][..], Class::Closed),
            (&[CONNACK, 2, 0], Class::Closed),
            (&[CONNACK, 0xff, 0xff, 0xff], Class::Protocol),
            (b"HTTP", Class::Protocol),
            (&[CONNACK, 2, 0, 3], Class::ServerError),
            (&[CONNACK, 2, 0, 5], Class::Credentials),
            (&[CONNACK, 2, 0, 9], Class::Protocol),
        ] {
            let found = failed(answer, async |wire| read_answer(wire, false).await).await;
            assert_eq!(found, class, "{answer:?}");
        }
    }
}
