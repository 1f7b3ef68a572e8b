//! Reading what a model says: server-sent events, and the pieces of an answer in them. Pure; takes any bytes.

use serde::Deserialize;
use serde_json::Value;

/// Bytes of one event.
const MAX_EVENT: usize = 1 << 20;
/// Calls of tools in one answer.
pub(in crate::http) const MAX_CALLS: usize = 8;

/// Lines that have come so far.
#[derive(Debug, Default)]
pub(in crate::http) struct Events {
    rest: Vec<u8>,
    data: String,
}

/// What cannot be read, in words.
pub(in crate::http) type Unreadable = &'static str;

impl Events {
    /// Takes bytes and gives the events that are whole now: their data.
    pub(in crate::http) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, Unreadable> {
        let mut whole = Vec::new();
        self.rest.extend_from_slice(bytes);
        while let Some(at) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=at).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if let Some(data) = line.strip_prefix("data:") {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            } else if line.is_empty() && !self.data.is_empty() {
                whole.push(std::mem::take(&mut self.data));
            }
            if self.data.len() > MAX_EVENT {
                return Err("an event without an end");
            }
        }
        if self.rest.len() > MAX_EVENT {
            return Err("a line without an end");
        }
        Ok(whole)
    }
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) enum Piece {
    /// More of the answer.
    More(Delta),
    /// There is no more.
    Done,
}

/// A piece of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::http) struct Delta {
    /// More words.
    pub(in crate::http) text: String,
    /// More of calls: which, its id, the tool, and more of its arguments.
    pub(in crate::http) calls: Vec<CallDelta>,
    /// Whether the model has said all that it wants to say.
    pub(in crate::http) finished: bool,
}

/// More of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::http) struct CallDelta {
    pub(in crate::http) index: usize,
    pub(in crate::http) id: Option<String>,
    pub(in crate::http) function: FunctionDelta,
}

/// More of what is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::http) struct FunctionDelta {
    pub(in crate::http) name: Option<String>,
    pub(in crate::http) arguments: Option<String>,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Message,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

pub(in crate::http) fn piece(data: &str) -> Result<Piece, Unreadable> {
    if data.trim() == "[DONE]" {
        return Ok(Piece::Done);
    }
    let chunk: Chunk = serde_json::from_str(data).map_err(|_| "an event that is no chunk")?;
    if chunk.error.is_some() {
        return Err("an error in place of an answer");
    }
    // Figures about the answer come without a choice.
    let Some(choice) = chunk.choices.into_iter().next() else {
        return Ok(Piece::More(Delta::default()));
    };
    Ok(Piece::More(Delta {
        text: choice.delta.content.unwrap_or_default(),
        calls: choice.delta.tool_calls.unwrap_or_default(),
        finished: choice.finish_reason.is_some(),
    }))
}

/// A call, as far as it has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::http) struct ToolRequest {
    /// The model's name for it.
    pub(in crate::http) id: String,
    pub(in crate::http) name: String,
    /// Its arguments: text that should be JSON.
    pub(in crate::http) arguments: String,
}

/// Adds more of calls to what there is of them.
pub(in crate::http) fn add(
    calls: &mut Vec<ToolRequest>,
    more: Vec<CallDelta>,
) -> Result<(), Unreadable> {
    for delta in more {
        if delta.index >= MAX_CALLS {
            return Err("more calls of tools at once than are made");
        }
        if calls.len() <= delta.index {
            calls.resize_with(delta.index + 1, ToolRequest::default);
        }
        let call = &mut calls[delta.index];
        if let Some(id) = delta.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        call.name.push_str(&delta.function.name.unwrap_or_default());
        call.arguments
            .push_str(&delta.function.arguments.unwrap_or_default());
        if call.name.len() > 128 || call.id.len() > 256 || call.arguments.len() > MAX_EVENT {
            return Err("a call of a tool that is too long");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn events_are_found_however_they_are_cut() {
        let said =
            ": hello\r\nevent: x\r\ndata: {\"é\":1}\r\n\r\ndata:a\ndata: b\n\ndata: [DONE]\n\n";
        let expected = ["{\"é\":1}", "a\nb", "[DONE]"];
        for size in 1..said.len() {
            let mut events = Events::default();
            let mut found = Vec::new();
            for bytes in said.as_bytes().chunks(size) {
                found.extend(events.take(bytes).unwrap());
            }
            assert_eq!(found, expected, "{size}");
        }
        let mut events = Events::default();
        assert!(events.take(&vec![b'x'; MAX_EVENT]).unwrap().is_empty());
        assert!(events.take(b"x").is_err(), "no line without an end");
    }

    #[test]
    fn pieces_are_words_calls_and_the_end() {
        let read = |data: &str| piece(data);
        assert_eq!(read("[DONE]"), Ok(Piece::Done));
        let Ok(Piece::More(delta)) = read(
            r#"{"choices":[{"delta":{"content":"hi","tool_calls":[{"index":1,"id":"c","function":{"name":"a","arguments":"{"}}]},"finish_reason":"stop"}],"x":1}"#,
        ) else {
            unreachable!()
        };
        assert_eq!((delta.text.as_str(), delta.finished), ("hi", true));
        let mut calls = Vec::new();
        add(&mut calls, delta.calls).unwrap();
        assert_eq!(calls.len(), 2);
        assert_eq!(
            (calls[1].id.as_str(), calls[1].arguments.as_str()),
            ("c", "{")
        );
        let nothing = Ok(Piece::More(Delta::default()));
        for data in [
            r#"{"choices":[],"usage":{}}"#,
            "{}",
            r#"{"choices":[{"delta":{"content":null}}]}"#,
        ] {
            assert_eq!(read(data), nothing, "{data}");
        }
        for data in [
            "",
            "{",
            "[]",
            "1",
            r#"{"error":{"message":"no"}}"#,
            r#"{"choices":{}}"#,
        ] {
            assert!(read(data).is_err(), "{data}");
        }
        let far = CallDelta {
            index: MAX_CALLS,
            ..CallDelta::default()
        };
        assert!(add(&mut calls, vec![far]).is_err());
    }

    proptest! {
        #[test]
        fn whatever_a_model_says_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), said in "\\PC{0,80}") {
            let mut events = Events::default();
            for data in events.take(&bytes).unwrap_or_default() {
                let _ = piece(&data);
            }
            let _ = piece(&said);
        }
    }
}
