//! SNMP versions 1 and 2c: the value of one object.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    super::{CheckResult, RequestFields, SnmpVersion},
    Probe, random_bytes,
};
use crate::egress::{Class, Failure};

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const NULL: u8 = 0x05;
const OBJECT: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const GET: u8 = 0xa0;
const RESPONSE: u8 = 0xa2;

/// The object that is asked for without another one: how long the system is up.
pub(super) const UPTIME: &str = "1.3.6.1.2.1.1.3.0";
/// Numbers of an object's name.
const MAX_ARCS: usize = 128;

/// What is asked for.
pub(super) struct Question<'q> {
    pub(super) version: SnmpVersion,
    pub(super) community: &'q str,
    pub(super) id: i32,
    pub(super) object: &'q str,
}

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let usual = RequestFields::default();
    let request = probe.request().unwrap_or(&usual);
    let object = probe.segment().unwrap_or_default();
    let trace = &mut result.trace;
    let socket = probe.datagrams(trace).await?;
    let question = Question {
        version: request.snmp_version.unwrap_or_default(),
        community: request.community.as_deref().unwrap_or("public"),
        id: i32::from_be_bytes(random_bytes()?) & i32::MAX,
        object: if object.is_empty() { UPTIME } else { &object },
    };
    let packet = question.packet();
    let wrong = || Failure::new(Class::Other, "the target names no object");
    let packet = packet.ok_or_else(wrong)?;
    let accept = |bytes: &[u8]| question.read(bytes);
    let exchange = socket.exchange(&packet, probe.deadline, trace, accept);
    // A wrong community gets no answer at all.
    let hint = |failure: Failure| {
        if failure.class != Class::FirstByteTimeout {
            return failure;
        }
        let message = "no answer came in time. Check the community and the version";
        Failure::new(Class::FirstByteTimeout, message)
    };
    let document = exchange.await.map_err(hint)??;
    probe.assert_document(&document).await
}

impl Question<'_> {
    /// Whole; nothing if its object is none.
    fn packet(&self) -> Option<Vec<u8>> {
        let variable = [
            element(OBJECT, &object_bytes(self.object)?),
            element(NULL, &[]),
        ];
        let variables = element(SEQUENCE, &element(SEQUENCE, &variable.concat()));
        let zero = element(INTEGER, &[0]);
        let id = element(INTEGER, &self.id.to_be_bytes());
        let request = element(GET, &[id, zero.clone(), zero, variables].concat());
        let version = element(INTEGER, &[self.version.number()]);
        let community = element(OCTETS, self.community.as_bytes());
        Some(element(SEQUENCE, &[version, community, request].concat()))
    }

    /// The answer as a document, or why there is none; nothing of what doesn't answer this question.
    pub(super) fn read(&self, bytes: &[u8]) -> Option<Result<Value, Failure>> {
        let mut rest = bytes;
        let mut message = take(&mut rest, SEQUENCE)?;
        let version = number(take(&mut message, INTEGER)?)?;
        take(&mut message, OCTETS)?;
        let mut response = take(&mut message, RESPONSE)?;
        let id = number(take(&mut response, INTEGER)?)?;
        if id != i64::from(self.id) || version != i64::from(self.version.number()) {
            return None;
        }
        let broken = || Failure::new(Class::Protocol, "the answer is no answer of SNMP");
        Some(self.variable(response).unwrap_or_else(|| Err(broken())))
    }

    fn variable(&self, mut response: &[u8]) -> Option<Result<Value, Failure>> {
        let error = number(take(&mut response, INTEGER)?)?;
        take(&mut response, INTEGER)?;
        if error != 0 {
            return Some(Err(refusal(error)));
        }
        let mut variables = take(&mut response, SEQUENCE)?;
        let mut variable = take(&mut variables, SEQUENCE)?;
        let object = object_text(take(&mut variable, OBJECT)?)?;
        let (tag, content) = take_any(&mut variable)?;
        if object != self.object {
            return None;
        }
        let Some((kind, value)) = value(tag, content) else {
            let message = "the host has no such object";
            let is_missing = matches!(tag, 0x80..=0x82);
            return is_missing.then(|| Err(Failure::new(Class::Status, message)));
        };
        Some(Ok(json!({ "oid": object, "type": kind, "value": value })))
    }
}

fn refusal(error: i64) -> Failure {
    let (class, message) = match error {
        2 => (Class::Status, "the host has no such object".to_owned()),
        16 => {
            let message = "the community may not read the object";
            (Class::Credentials, message.to_owned())
        }
        error => {
            let message = format!("the host answers with the error {error}");
            (Class::Status, message)
        }
    };
    Failure::new(class, message)
}

/// A value and its type.
fn value(tag: u8, content: &[u8]) -> Option<(&'static str, Value)> {
    let text = || match std::str::from_utf8(content) {
        Ok(text) if !text.chars().any(|c| c.is_control() && !c.is_whitespace()) => text.to_owned(),
        _ => content.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }),
    };
    Some(match tag {
        INTEGER => ("integer", number(content)?.into()),
        OCTETS => ("string", text().into()),
        NULL => ("null", Value::Null),
        OBJECT => ("oid", object_text(content)?.into()),
        0x40 => {
            let address = std::net::Ipv4Addr::from(<[u8; 4]>::try_from(content).ok()?);
            ("ipAddress", address.to_string().into())
        }
        0x41 => ("counter32", unsigned(content)?.into()),
        0x42 => ("gauge32", unsigned(content)?.into()),
        0x43 => ("timeTicks", unsigned(content)?.into()),
        0x44 => ("opaque", text().into()),
        0x46 => ("counter64", unsigned(content)?.into()),
        _ => return None,
    })
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    let length = (content.len() as u32).to_be_bytes();
    if content.len() < 0x80 {
        bytes.push(content.len() as u8);
    } else {
        let zeros = length.iter().take_while(|byte| **byte == 0).count();
        bytes.push(0x80 | (length.len() - zeros) as u8);
        bytes.extend_from_slice(&length[zeros..]);
    }
    bytes.extend_from_slice(content);
    bytes
}

/// Takes an element of this type.
fn take<'b>(rest: &mut &'b [u8], wanted: u8) -> Option<&'b [u8]> {
    let (tag, content) = take_any(rest)?;
    (tag == wanted).then_some(content)
}

fn take_any<'b>(rest: &mut &'b [u8]) -> Option<(u8, &'b [u8])> {
    let [tag, length, after @ ..] = *rest else {
        return None;
    };
    let (length, after) = if *length < 0x80 {
        (usize::from(*length), after)
    } else {
        let (bytes, after) = after.split_at_checked(usize::from(length & 0x7f))?;
        // A datagram has less than 65,536 bytes, whatever its elements say.
        let mut significant = bytes.iter().skip_while(|byte| **byte == 0);
        let length = significant.try_fold(0_usize, |length, byte| {
            Some((length << 8) | usize::from(*byte)).filter(|length| *length <= 0xffff)
        });
        (length.filter(|_| !bytes.is_empty())?, after)
    };
    let (content, after) = after.split_at_checked(length)?;
    *rest = after;
    Some((*tag, content))
}

fn number(content: &[u8]) -> Option<i64> {
    let (first, rest) = content.split_first()?;
    if rest.len() > 7 {
        return None;
    }
    let first = i64::from(first.cast_signed());
    Some(
        rest.iter()
            .fold(first, |number, byte| (number << 8) | i64::from(*byte)),
    )
}

fn unsigned(content: &[u8]) -> Option<u64> {
    let content = content.strip_prefix(&[0]).unwrap_or(content);
    if content.len() > 8 {
        return None;
    }
    let number = content
        .iter()
        .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    Some(number)
}

/// The bytes of an object's name such as `1.3.6.1.2.1.1.3.0`; nothing if it is none.
fn object_bytes(text: &str) -> Option<Vec<u8>> {
    let arcs: Option<Vec<u32>> = text.split('.').map(|arc| arc.parse().ok()).collect();
    let arcs = arcs?;
    let [first, second, rest @ ..] = arcs.as_slice() else {
        return None;
    };
    if *first > 2 || (*first < 2 && *second > 39) || arcs.len() > MAX_ARCS {
        return None;
    }
    let joined = first.checked_mul(40)?.checked_add(*second)?;
    let mut bytes = Vec::new();
    for arc in [joined].iter().chain(rest) {
        let digits = (0..5).rev().map(|at| (arc >> (7 * at)) & 0x7f);
        let mut digits = digits.skip_while(|digit| *digit == 0).peekable();
        if digits.peek().is_none() {
            bytes.push(0);
        }
        while let Some(digit) = digits.next() {
            let more = if digits.peek().is_some() { 0x80 } else { 0 };
            bytes.push(digit as u8 | more);
        }
    }
    Some(bytes)
}

fn object_text(bytes: &[u8]) -> Option<String> {
    let mut arcs: Vec<u32> = Vec::new();
    let mut arc = 0_u32;
    for byte in bytes.iter().take(MAX_ARCS * 5) {
        arc = arc.checked_mul(0x80)? | u32::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            arcs.push(std::mem::take(&mut arc));
        }
    }
    let (joined, rest) = arcs.split_first()?;
    let first = (joined / 40).min(2);
    let mut text = format!("{first}.{}", joined - first * 40);
    for arc in rest {
        let _ = write!(text, ".{arc}");
    }
    Some(text)
}

#[cfg(test)]
mod tests;
