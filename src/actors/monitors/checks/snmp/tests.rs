use super::*;

const QUESTION: Question<'static> = Question {
    version: SnmpVersion::V2c,
    community: "public",
    id: 0x0102_0304,
    object: UPTIME,
};

/// The bytes that `snmpget -v2c -c public HOST 1.3.6.1.2.1.1.3.0` sends, with this id.
const ASKED: &[u8] = b"\x30\x29\x02\x01\x01\x04\x06public\xa0\x1c\x02\x04\x01\x02\x03\x04\x02\x01\x00\x02\x01\x00\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x03\x00\x05\x00";
/// The answer: 123456 hundredths of a second.
const ANSWERED: &[u8] = b"\x30\x2c\x02\x01\x01\x04\x06public\xa2\x1f\x02\x04\x01\x02\x03\x04\x02\x01\x00\x02\x01\x00\x30\x11\x30\x0f\x06\x08\x2b\x06\x01\x02\x01\x01\x03\x00\x43\x03\x01\xe2\x40";

#[test]
fn questions_and_answers_are_those_of_other_programs() {
    assert_eq!(QUESTION.packet().unwrap(), ASKED);
    let document = QUESTION.read(ANSWERED).unwrap().unwrap();
    let wanted = json!({ "oid": UPTIME, "type": "timeTicks", "value": 123_456 });
    assert_eq!(document, wanted);
}

#[test]
fn what_answers_another_question_is_ignored() {
    assert_eq!(QUESTION.read(ASKED), None);
    assert_eq!(QUESTION.read(b""), None);
    let mut other = ANSWERED.to_vec();
    other[20] ^= 1;
    assert_eq!(QUESTION.read(&other), None);
}

#[test]
fn damaged_answers_are_ignored_or_fail() {
    for length in 0..ANSWERED.len() {
        assert_eq!(QUESTION.read(&ANSWERED[..length]), None);
    }
    for at in 0..ANSWERED.len() {
        for value in [0x00, 0x7f, 0x80, 0x84, 0xff] {
            let mut damaged = ANSWERED.to_vec();
            damaged[at] = value;
            let _ = QUESTION.read(&damaged);
        }
    }
    // The value says that it has four gigabytes.
    let mut huge = ANSWERED[..42].to_vec();
    huge.extend_from_slice(b"\x84\xff\xff\xff");
    let failure = QUESTION.read(&huge).unwrap().unwrap_err();
    assert_eq!(failure.class, Class::Protocol);
}

#[test]
fn a_missing_object_and_a_refusal_are_failures_in_words() {
    let mut missing = ANSWERED[..41].to_vec();
    missing.extend_from_slice(b"\x81\x03\x00\x00\x00");
    let failure = QUESTION.read(&missing).unwrap().unwrap_err();
    assert_eq!(
        (failure.class, failure.message.as_str()),
        (Class::Status, "the host has no such object")
    );
    let mut refused = ANSWERED.to_vec();
    refused[23] = 16;
    let failure = QUESTION.read(&refused).unwrap().unwrap_err();
    assert_eq!(failure.class, Class::Credentials);
}

#[test]
fn values_have_the_form_of_their_type() {
    for (tag, content, wanted) in [
        (INTEGER, &b"\xff"[..], json!(-1)),
        (INTEGER, b"\x00\x80", json!(128)),
        (OCTETS, b"Linux web 6.1", json!("Linux web 6.1")),
        (OCTETS, b"\x00\x1b\xff", json!("001bff")),
        (0x40, b"\xc0\x00\x02\x01", json!("192.0.2.1")),
        (0x41, b"\x00\xff\xff\xff\xff", json!(4_294_967_295_u32)),
        (0x46, b"\xff\xff\xff\xff\xff\xff\xff\xff", json!(u64::MAX)),
        (
            OBJECT,
            b"\x2b\x06\x01\x04\x01\xbf\x08",
            json!("1.3.6.1.4.1.8072"),
        ),
    ] {
        assert_eq!(value(tag, content).unwrap().1, wanted, "{tag:#x}");
    }
    assert_eq!(value(INTEGER, &[1; 9]), None);
    assert_eq!(value(0x40, &[1; 5]), None);
    assert_eq!(value(0x47, &[1]), None);
}

#[test]
fn names_of_objects_read_back() {
    for text in [UPTIME, "2.100.3", "1.3.6.1.4.1.4294967295.0", "0.0"] {
        let bytes = object_bytes(text).unwrap();
        assert_eq!(object_text(&bytes).as_deref(), Some(text));
    }
    for text in [
        "",
        "1",
        "3.1",
        "1.40",
        "1.3.",
        "1.3.a",
        "1.3.4294967296",
        ".1.3",
    ] {
        assert_eq!(object_bytes(text), None, "{text}");
    }
}
