//! RabbitMQ, AMQP 0-9-1: the greeting; with credentials PLAIN, `tune` and the virtual host.

use super::{
    Credentials, Probe, if_closed,
    reader::{Reader, broken},
    refused_credentials,
    wire::{Stream, Wire},
};
use crate::{
    actors::monitors::CheckResult,
    egress::{Class, Failure},
};

const NAME: &str = "AMQP 0-9-1";
const GREETING: &[u8] = b"AMQP\0\0\x09\x01";
const METHOD: u8 = 1;
const FRAME_END: u8 = 0xce;
/// The class of all methods here, and its methods.
const CONNECTION: u16 = 10;
const START: u16 = 10;
const START_OK: u16 = 11;
const TUNE: u16 = 30;
const TUNE_OK: u16 = 31;
const OPEN: u16 = 40;
const OPEN_OK: u16 = 41;
const CLOSE: u16 = 50;
/// Says that we want to be told why a sign-in fails: `{"capabilities": {"authentication_failure_close": true}}`.
const PROPERTIES: &[u8] = b"\x0ccapabilitiesF\0\0\0\x1f\x1cauthentication_failure_closet\x01";

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let tls = probe.starts_with_tls();
    let mut wire = probe.open(tls, &mut result.trace).await?;
    let host = probe.segment().unwrap_or_else(|| "/".to_owned());
    talk(&mut wire, probe.credentials(), &host).await?;
    if probe.credentials().is_none() {
        return Ok(());
    }
    let goodbye = [&200_u16.to_be_bytes()[..], &[0, 0, 0, 0, 0]].concat();
    wire.close(&frame(CLOSE, &goodbye)).await;
    Ok(())
}

/// Reads the greeting, and with credentials opens the virtual host.
pub(super) async fn talk<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Option<Credentials<'_>>,
    host: &str,
) -> Result<(), Failure> {
    start(wire).await?;
    match credentials {
        Some(credentials) => sign_in(wire, credentials, host).await,
        None => Ok(()),
    }
}

fn frame(method: u16, arguments: &[u8]) -> Vec<u8> {
    let mut frame = vec![METHOD, 0, 0];
    frame.extend((arguments.len() as u32 + 4).to_be_bytes());
    frame.extend(CONNECTION.to_be_bytes());
    frame.extend(method.to_be_bytes());
    frame.extend(arguments);
    frame.push(FRAME_END);
    frame
}

/// The arguments of the method that is expected. If the server closes the connection instead, its reason is a failure.
async fn expect<S: Stream>(wire: &mut Wire<'_, S>, method: u16) -> Result<Vec<u8>, Failure> {
    let [kind, _, _, a, b, c, d] = wire.array::<7>().await?;
    if kind != METHOD {
        return Err(broken(NAME));
    }
    let body = wire.take(u32::from_be_bytes([a, b, c, d]) as usize).await?;
    if wire.array::<1>().await? != [FRAME_END] {
        return Err(broken(NAME));
    }
    let mut reader = Reader::new(&body, NAME);
    let class = u16::from_be_bytes(reader.array()?);
    let found = u16::from_be_bytes(reader.array()?);
    match (class, found) {
        (CONNECTION, found) if found == method => Ok(reader.rest().to_vec()),
        (CONNECTION, CLOSE) => match u16::from_be_bytes(reader.array()?) {
            403 => Err(refused_credentials()),
            code => {
                let message = format!("the server closed the connection with the error {code}");
                Err(Failure::new(Class::ServerError, message))
            }
        },
        _ => Err(broken(NAME)),
    }
}

async fn start<S: Stream>(wire: &mut Wire<'_, S>) -> Result<(), Failure> {
    wire.send(GREETING).await?;
    let arguments = expect(wire, START).await?;
    let mut reader = Reader::new(&arguments, NAME);
    reader.take(2)?;
    // Properties of the server, then its mechanisms.
    long(&mut reader)?;
    let mechanisms = long(&mut reader)?;
    let mut all = mechanisms.split(|byte| *byte == b' ');
    if all.any(|one| one == b"PLAIN") {
        return Ok(());
    }
    let message = "the server offers no PLAIN";
    Err(Failure::new(Class::Credentials, message))
}

fn long<'b>(reader: &mut Reader<'b>) -> Result<&'b [u8], Failure> {
    let length = u32::from_be_bytes(reader.array()?) as usize;
    reader.take(length)
}

async fn sign_in<S: Stream>(
    wire: &mut Wire<'_, S>,
    Credentials { username, password }: Credentials<'_>,
    host: &str,
) -> Result<(), Failure> {
    let response = format!("\0{username}\0{password}");
    let mut arguments = (PROPERTIES.len() as u32).to_be_bytes().to_vec();
    arguments.extend(PROPERTIES);
    arguments.extend(b"\x05PLAIN");
    arguments.extend((response.len() as u32).to_be_bytes());
    arguments.extend(response.as_bytes());
    arguments.extend(b"\x05en_US");
    wire.send(&frame(START_OK, &arguments)).await?;
    let tune = expect(wire, TUNE).await;
    let tune = tune.map_err(|failure| if_closed(failure, refused_credentials))?;
    // What the server proposes: channels, size of frames, seconds between heartbeats.
    let tune = tune.get(..8).ok_or_else(|| broken(NAME))?;
    wire.send(&frame(TUNE_OK, tune)).await?;
    let length = u8::try_from(host.len());
    let length = length.map_err(|_| Failure::new(Class::Other, "the virtual host is too long"))?;
    let open = [&[length][..], host.as_bytes(), &[0, 0]].concat();
    wire.send(&frame(OPEN, &open)).await?;
    expect(wire, OPEN_OK).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{ADA, failed, served},
        *,
    };

    fn started(mechanisms: &str) -> Vec<u8> {
        let length = (mechanisms.len() as u32).to_be_bytes();
        let parts = [
            &[0, 9][..],
            &[0; 4],
            &length,
            mechanisms.as_bytes(),
            &[0; 4],
        ];
        frame(START, &parts.concat())
    }

    async fn whole<S: Stream>(wire: &mut Wire<'_, S>) -> Result<(), Failure> {
        talk(wire, Some(ADA), "/").await
    }

    #[test]
    fn the_properties_have_their_lengths() {
        let name = b"authentication_failure_close";
        assert_eq!(usize::from(PROPERTIES[18]), name.len());
        let inner = u32::from_be_bytes([
            PROPERTIES[14],
            PROPERTIES[15],
            PROPERTIES[16],
            PROPERTIES[17],
        ]);
        assert_eq!(inner as usize, PROPERTIES.len() - 18);
        assert_eq!(usize::from(PROPERTIES[0]), "capabilities".len());
    }

    #[tokio::test]
    async fn a_server_is_signed_in_to_and_opens_the_virtual_host() {
        let all = [
            started("AMQPLAIN PLAIN"),
            frame(TUNE, &[0; 8]),
            frame(OPEN_OK, &[0]),
        ];
        let outcome = served(&all.concat(), async |wire| whole(wire).await).await;
        assert_eq!(outcome, Ok(()));
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let after = |rest: Vec<u8>| [started("PLAIN"), rest].concat();
        let closed = |code: u16| frame(CLOSE, &[&code.to_be_bytes()[..], &[0; 5]].concat());
        let mut unended = started("PLAIN");
        unended.pop();
        unended.push(0);
        let huge = [METHOD, 0, 0, 0xff, 0xff, 0xff, 0xff];
        for (answers, class) in [
            (Vec::new(), Class::Closed),
            (b"AMQP\0\0\x09\x01".to_vec(), Class::Protocol),
            (
                b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
                Class::Protocol,
            ),
            (huge.to_vec(), Class::BodyTooLarge),
            (unended, Class::Protocol),
            (
                frame(START, &[0, 9, 0xff, 0xff, 0xff, 0xff]),
                Class::Protocol,
            ),
            (started("EXTERNAL"), Class::Credentials),
            (after(Vec::new()), Class::Credentials),
            (after(closed(403)), Class::Credentials),
            (after(closed(530)), Class::ServerError),
            (after(frame(TUNE, &[0; 7])), Class::Protocol),
        ] {
            let found = failed(&answers, async |wire| whole(wire).await).await;
            assert_eq!(found, class, "{answers:?}");
        }
    }
}
