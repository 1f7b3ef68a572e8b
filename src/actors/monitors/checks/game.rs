//! Game servers that answer Source queries (`A2S_INFO`): their name, map and players.

use serde_json::{Value, json};

use super::{super::CheckResult, Probe, reader::Reader};
use crate::egress::{Class, Failure};

const NAME: &str = "A2S";
/// What every packet begins with that isn't a part of a larger one.
const WHOLE: [u8; 4] = [0xff; 4];
const QUESTION: &[u8] = b"\xff\xff\xff\xffTSource Engine Query\0";
/// Challenges before the server counts as hostile.
const MAX_CHALLENGES: usize = 3;

/// What came back.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// The question has to be asked once more, with this behind it.
    Challenge([u8; 4]),
    Info(Value),
    Broken,
}

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let trace = &mut result.trace;
    let socket = probe.datagrams(trace).await?;
    let mut question = QUESTION.to_vec();
    let broken = || Failure::new(Class::Protocol, "the answer is no answer to a Source query");
    for _ in 0..=MAX_CHALLENGES {
        let asking = socket.exchange(&question, probe.deadline, trace, read);
        match asking.await? {
            Answer::Challenge(challenge) => {
                question.truncate(QUESTION.len());
                question.extend_from_slice(&challenge);
            }
            Answer::Info(document) => return probe.assert_document(&document).await,
            Answer::Broken => return Err(broken()),
        }
    }
    Err(broken())
}

/// An answer; nothing of what isn't one.
pub(super) fn read(bytes: &[u8]) -> Option<Answer> {
    let rest = bytes.strip_prefix(&WHOLE)?;
    let (kind, rest) = rest.split_first()?;
    match kind {
        b'A' => rest.first_chunk::<4>().copied().map(Answer::Challenge),
        b'I' => Some(info(rest).map_or(Answer::Broken, Answer::Info)),
        _ => None,
    }
}

fn info(bytes: &[u8]) -> Result<Value, Failure> {
    let mut reader = Reader::new(bytes, NAME);
    // The version of the protocol.
    reader.byte()?;
    let [name, map, _, game] = [
        reader.text()?,
        reader.text()?,
        reader.text()?,
        reader.text()?,
    ];
    // The id of the application, and then one byte each.
    let [_, _, players, max, bots, _, _, visibility, _] = reader.array()?;
    let version = reader.text()?;
    let text = String::from_utf8_lossy;
    Ok(json!({
        "name": text(name), "map": text(map), "game": text(game), "version": text(version),
        "players": players, "maxPlayers": max, "bots": bots, "password": visibility == 1,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &[u8] = b"\xff\xff\xff\xffI\x11Night Shift #3\0de_dust2\0csgo\0Counter-Strike\0\xda\x02\x07\x10\x01dl\0\x011.38.8.1\0\xb1\x87\x69";

    #[test]
    fn players_name_and_map_are_read() {
        let Some(Answer::Info(document)) = read(RECORDED) else {
            panic!("no answer");
        };
        let wanted = json!({
            "name": "Night Shift #3", "map": "de_dust2", "game": "Counter-Strike", "version": "1.38.8.1",
            "players": 7, "maxPlayers": 16, "bots": 1, "password": false,
        });
        assert_eq!(document, wanted);
    }

    #[test]
    fn a_challenge_is_four_bytes() {
        let challenge = b"\xff\xff\xff\xffA\x01\x02\x03\x04";
        assert_eq!(read(challenge), Some(Answer::Challenge([1, 2, 3, 4])));
        assert_eq!(read(&challenge[..8]), None);
    }

    #[test]
    fn what_is_cut_off_is_no_answer() {
        let end = RECORDED.len() - 3;
        for length in 0..end {
            let answer = read(&RECORDED[..length]);
            assert!(
                matches!(answer, None | Some(Answer::Broken)),
                "{length}: {answer:?}"
            );
        }
        assert_eq!(read(b"\xfe\xff\xff\xffI"), None);
        assert_eq!(read(&[0xff; 1_400]), None);
    }
}
