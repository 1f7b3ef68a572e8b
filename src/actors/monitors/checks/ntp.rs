//! NTP (RFC 5905): whether a server knows the time, and how far it is from ours.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::{super::CheckResult, Probe, random_bytes};
use crate::egress::{Class, Failure};

/// Version 4, and the mode of clients.
const ASKS: u8 = 0x23;
const LENGTH: usize = 48;
/// Seconds from 1900, where the clock of NTP begins, to 1970.
const TO_UNIX: u64 = 2_208_988_800;
/// Time until a server is asked once more.
const AGAIN: Duration = Duration::from_secs(1);

/// What a server says.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    stratum: u8,
    /// Whether the server says itself that its clock isn't set.
    is_unset: bool,
    /// Why it doesn't answer, such as `RATE`. A server that was never synchronized gives no reason.
    refusal: Option<String>,
    /// When the question came and the answer left, Unix milliseconds.
    received_ms: f64,
    sent_ms: f64,
}

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let trace = &mut result.trace;
    let socket = probe.datagrams(trace).await?;
    let (answer, asked, answered) = loop {
        // Each question has a mark of its own: the time of an answer counts from its own question.
        let mark = random_bytes()?;
        let asked = Instant::now();
        let until = probe.deadline.min(asked + AGAIN);
        let accept = |bytes: &[u8]| read(bytes, mark);
        let answer = socket
            .ask_once(&question(mark), until, trace, accept)
            .await?;
        if let Some(answer) = answer {
            break (answer, asked, Instant::now());
        }
        if Instant::now() >= probe.deadline {
            let message = "no answer came in time";
            return Err(Failure::new(Class::FirstByteTimeout, message));
        }
    };
    check_state(&answer)?;
    let begun = probe.deadline - probe.limit;
    let ours = |at: Instant| {
        let since = at.saturating_duration_since(begun);
        result.at_ms as f64 + since.as_secs_f64() * 1_000.0
    };
    let offset = offset_ms(&answer, ours(asked), ours(answered));
    if let Some(most) = probe.expect.offset
        && offset.abs() > f64::from(most)
    {
        let message = format!("the clock is {offset:.0} ms away, more than {most} ms");
        return Err(Failure::new(Class::Assertion, message));
    }
    let document = json!({ "offset": offset.round() as i64, "stratum": answer.stratum });
    probe.assert_document(&document).await
}

/// Whether the server knows the time itself.
pub(super) fn check_state(answer: &Answer) -> Result<(), Failure> {
    let message = match &answer.refusal {
        Some(code) => format!("the server refuses to answer ({code})"),
        None if answer.is_unset => "the server's clock isn't synchronized".to_owned(),
        None => return Ok(()),
    };
    Err(Failure::new(Class::Status, message))
}

/// How far the server's clock is ahead, milliseconds: the way there and the way back count as equally long.
fn offset_ms(answer: &Answer, asked_ms: f64, answered_ms: f64) -> f64 {
    f64::midpoint(answer.received_ms - asked_ms, answer.sent_ms - answered_ms)
}

/// A question. Its time is a mark, by which the answer is recognised.
fn question(mark: [u8; 8]) -> [u8; LENGTH] {
    let mut packet = [0; LENGTH];
    packet[0] = ASKS;
    packet[40..].copy_from_slice(&mark);
    packet
}

/// The answer to a question with this mark.
pub(super) fn read(bytes: &[u8], mark: [u8; 8]) -> Option<Answer> {
    let packet = bytes.first_chunk::<LENGTH>()?;
    let (leap, mode, stratum) = (packet[0] >> 6, packet[0] & 0b111, packet[1]);
    if mode != 4 || packet[24..32] != mark {
        return None;
    }
    let code: String = packet[12..16]
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(*byte))
        .collect();
    let sent = packet.last_chunk::<8>()?;
    let received = packet[32..40].first_chunk::<8>()?;
    Some(Answer {
        stratum,
        is_unset: leap == 3 || !(1..16).contains(&stratum) || sent == &[0; 8],
        refusal: (stratum == 0 && !code.is_empty()).then_some(code),
        received_ms: unix_ms(*received),
        sent_ms: unix_ms(*sent),
    })
}

/// A time of NTP as Unix milliseconds. Its seconds begin anew in 2036.
fn unix_ms(time: [u8; 8]) -> f64 {
    let whole = u64::from_be_bytes(time);
    let (seconds, fraction) = (whole >> 32, whole & 0xffff_ffff);
    let era = if seconds < 1 << 31 { 1 << 32 } else { 0 };
    let seconds = (seconds + era).saturating_sub(TO_UNIX);
    seconds as f64 * 1_000.0 + fraction as f64 * 1_000.0 / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: [u8; 8] = *b"12345678";

    /// An answer of a server at stratum 2, at 2026-01-01 00:00:00 and half a second later.
    fn recorded() -> Vec<u8> {
        let mut packet = vec![0x24, 2, 6, 0xe8];
        packet.resize(LENGTH, 0);
        packet[24..32].copy_from_slice(&MARK);
        let seconds = (TO_UNIX + 1_767_225_600) as u32;
        packet[32..36].copy_from_slice(&seconds.to_be_bytes());
        packet[40..44].copy_from_slice(&seconds.to_be_bytes());
        packet[44] = 0x80;
        packet
    }

    #[test]
    fn an_answer_says_how_far_the_clocks_are_apart() {
        let answer = read(&recorded(), MARK).unwrap();
        assert_eq!(answer.stratum, 2);
        check_state(&answer).unwrap();
        let second = 1_767_225_600_000.0;
        assert!((answer.received_ms - second).abs() < 0.01);
        // A tenth of a second there, a tenth back, half a second in the server, and one second behind us.
        let offset = offset_ms(&answer, second + 900.0, second + 1_600.0);
        assert!((offset + 1_000.0).abs() < 0.01, "{offset}");
    }

    #[test]
    fn what_is_no_answer_is_ignored() {
        let recorded = recorded();
        for length in 0..LENGTH {
            assert_eq!(read(&recorded[..length], MARK), None);
        }
        assert_eq!(read(&recorded, *b"87654321"), None);
        assert_eq!(read(&question(MARK), MARK), None);
    }

    #[test]
    fn a_server_without_the_time_is_down() {
        for (at, value) in [(0, 0xe4), (1, 16), (1, 0)] {
            let mut packet = recorded();
            packet[at] = value;
            packet[12..16].copy_from_slice(b"RATE");
            let answer = read(&packet, MARK).unwrap();
            let failure = check_state(&answer).unwrap_err();
            assert_eq!(failure.class, Class::Status);
            assert_eq!(failure.message.contains("RATE"), value == 0, "{failure}");
        }
        let mut packet = recorded();
        packet[40..].fill(0);
        assert!(check_state(&read(&packet, MARK).unwrap()).is_err());
        // As chrony answers before its first source.
        let mut packet = recorded();
        (packet[0], packet[1]) = (0xe4, 0);
        let failure = check_state(&read(&packet, MARK).unwrap()).unwrap_err();
        assert_eq!(failure.message, "the server's clock isn't synchronized");
    }

    #[test]
    fn times_after_2036_follow_those_before() {
        let end = unix_ms([0xff; 8]);
        let next = unix_ms([0; 8]);
        assert!((next - end).abs() < 1.0, "{end} {next}");
    }
}
