//! Packets, and the answers to statements.

use super::{
    super::{
        no_credentials,
        reader::{Reader, broken},
        refused_credentials, server_error,
        wire::{Stream, Wire},
    },
    NAME,
};
use crate::egress::{Class, Failure};

pub(super) const OK: u8 = 0;
pub(super) const ERR: u8 = 0xff;
/// The end of columns or rows, and the wish for another kind of sign-in.
pub(super) const END: u8 = 0xfe;
/// The wish to read a file of the client.
const LOCAL_FILE: u8 = 0xfb;
const NULL: u8 = 0xfb;
const QUIT: u8 = 1;
const QUERY: u8 = 3;
const PING: u8 = 14;
const MAX_COLUMNS: u64 = 4_096;

/// Packets over a connection, with their numbers.
pub(super) struct Packets<'w, 't, S> {
    wire: &'w mut Wire<'t, S>,
    sequence: u8,
}

impl<'w, 't, S: Stream> Packets<'w, 't, S> {
    pub(super) const fn new(wire: &'w mut Wire<'t, S>, sequence: u8) -> Self {
        Self { wire, sequence }
    }

    /// The number of the next packet.
    pub(super) const fn sequence(&self) -> u8 {
        self.sequence
    }

    pub(super) async fn read(&mut self) -> Result<Vec<u8>, Failure> {
        let [a, b, c, sequence] = self.wire.array::<4>().await?;
        self.sequence = sequence.wrapping_add(1);
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        let packet = self.wire.take(length).await?;
        if packet.is_empty() {
            return Err(broken(NAME));
        }
        Ok(packet)
    }

    pub(super) async fn send(&mut self, body: &[u8]) -> Result<(), Failure> {
        let [a, b, c, _] = (body.len() as u32).to_le_bytes();
        let packet = [&[a, b, c, self.sequence][..], body].concat();
        self.sequence = self.sequence.wrapping_add(1);
        self.wire.send(&packet).await
    }

    async fn command(&mut self, kind: u8, text: &str) -> Result<(), Failure> {
        self.sequence = 0;
        self.send(&[&[kind][..], text.as_bytes()].concat()).await
    }

    /// Says goodbye; whether that arrives changes nothing.
    pub(super) async fn quit(mut self) {
        let _ = self.command(QUIT, "").await;
    }
}

/// Runs a statement and answers with the first value of the first row. Without a statement it pings.
pub(super) async fn run<S: Stream>(
    packets: &mut Packets<'_, '_, S>,
    statement: Option<&str>,
) -> Result<String, Failure> {
    match statement {
        Some(statement) => packets.command(QUERY, statement).await?,
        None => packets.command(PING, "").await?,
    }
    let packet = packets.read().await?;
    match packet.first() {
        Some(&OK) => return Ok(String::new()),
        Some(&ERR) => return Err(error(&packet)),
        Some(&LOCAL_FILE) => {
            let message = "the server wants to read a file, which a check refuses";
            return Err(Failure::new(Class::Protocol, message));
        }
        _ => {}
    }
    let columns = number(&mut Reader::new(&packet, NAME))?;
    if !(1..=MAX_COLUMNS).contains(&columns) {
        return Err(broken(NAME));
    }
    // The columns, and the end of them.
    for _ in 0..=columns {
        packets.read().await?;
    }
    let row = packets.read().await?;
    match row.first() {
        Some(&END) if row.len() < 9 => Ok(String::new()),
        Some(&ERR) => Err(error(&row)),
        Some(&NULL) => Ok(String::new()),
        _ => {
            let mut reader = Reader::new(&row, NAME);
            let length = number(&mut reader)?;
            let length = usize::try_from(length).map_err(|_| broken(NAME))?;
            Ok(String::from_utf8_lossy(reader.take(length)?).into_owned())
        }
    }
}

/// A number whose first byte says how long it is.
fn number(reader: &mut Reader<'_>) -> Result<u64, Failure> {
    Ok(match reader.byte()? {
        small @ 0..=0xfa => small.into(),
        0xfc => u16::from_le_bytes(reader.array()?).into(),
        0xfd => {
            let [a, b, c] = reader.array()?;
            u32::from_le_bytes([a, b, c, 0]).into()
        }
        0xfe => u64::from_le_bytes(reader.array()?),
        _ => return Err(broken(NAME)),
    })
}

/// An error by its number.
pub(super) fn error(packet: &[u8]) -> Failure {
    let mut reader = Reader::new(packet.get(1..).unwrap_or_default(), NAME);
    match reader.array().map(u16::from_le_bytes) {
        Err(failure) => failure,
        // Access denied: to the server, a database, without a password.
        Ok(1044 | 1045 | 1698) => refused_credentials(),
        Ok(1251 | 2059) => no_credentials(),
        Ok(code) => server_error(code),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::wire::testing::{failed, served},
        *,
    };

    fn packet(body: &[u8]) -> Vec<u8> {
        let [a, b, c, _] = (body.len() as u32).to_le_bytes();
        [&[a, b, c, 1][..], body].concat()
    }

    async fn ask<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
        run(&mut Packets::new(wire, 0), Some("SELECT 1")).await
    }

    #[tokio::test]
    async fn a_statement_answers_with_its_first_value() {
        let end = packet(&[END, 0, 0, 2, 0]);
        let head = [packet(&[1]), packet(b"column"), end.clone()].concat();
        for (row, value) in [
            (packet(b"\x02ab"), "ab"),
            (packet(b"\xfc\x02\0ab"), "ab"),
            (packet(&[NULL]), ""),
            (end, ""),
        ] {
            let all = [head.clone(), row].concat();
            let found = served(&all, async |wire| ask(wire).await).await;
            assert_eq!(found.unwrap(), value);
        }
        let ok = served(&packet(&[OK, 0, 0]), async |wire| ask(wire).await).await;
        assert_eq!(ok.unwrap(), "");
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let head = [packet(&[1]), packet(b"c"), packet(&[END])].concat();
        for (answers, class) in [
            (Vec::new(), Class::Closed),
            (b"HTTP/1.1 400".to_vec(), Class::BodyTooLarge),
            (packet(b""), Class::Protocol),
            (packet(b"\xfb/etc/passwd"), Class::Protocol),
            (
                packet(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
                Class::Protocol,
            ),
            (packet(&[0xfc, 1]), Class::Protocol),
            (head.clone(), Class::Closed),
            ([head.clone(), packet(b"\x09ab")].concat(), Class::Protocol),
            ([head, packet(&[ERR])].concat(), Class::Protocol),
            (packet(&[ERR, 0x15, 0x04]), Class::Credentials),
            (packet(&[ERR, 0x10, 0x04]), Class::ServerError),
        ] {
            let found = failed(&answers, async |wire| ask(wire).await).await;
            assert_eq!(found, class, "{answers:?}");
        }
    }
}
