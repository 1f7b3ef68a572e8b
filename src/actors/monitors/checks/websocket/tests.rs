use serde_json::json;

use super::{
    frame::{BINARY, Frame, TEXT, frame, read_frame},
    *,
};

fn text(payload: &[u8]) -> Frame {
    Frame {
        is_final: true,
        opcode: TEXT,
        payload: payload.to_vec(),
    }
}

#[test]
fn the_key_of_the_standard_has_the_answer_of_the_standard() {
    let mut headers = HeaderMap::new();
    let key = "dGhlIHNhbXBsZSBub25jZQ==";
    assert!(check_key(&headers, key).is_err());
    let answer = HeaderValue::from_static("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, answer);
    check_key(&headers, key).unwrap();
}

#[test]
fn frames_are_read_as_far_as_they_are_there() {
    let hello = b"\x81\x05Hello\x89";
    assert_eq!(
        read_frame(hello, MAX_MESSAGE),
        Ok(Some((text(b"Hello"), 7)))
    );
    for length in 0..7 {
        assert_eq!(read_frame(&hello[..length], MAX_MESSAGE), Ok(None));
    }
    let mut long = vec![0x81, 126, 0x01, 0x00];
    assert_eq!(read_frame(&long[..3], MAX_MESSAGE), Ok(None));
    long.resize(260, b'x');
    assert_eq!(
        read_frame(&long, MAX_MESSAGE),
        Ok(Some((text(&[b'x'; 256]), 260)))
    );
}

#[test]
fn frames_that_are_none_or_too_large_are_refused() {
    for (bytes, class) in [
        (&b"HTTP/1.1 200 OK"[..], Class::Protocol),
        (b"\x81\x85abcdHello", Class::Protocol),
        (b"\xc1\x05Hello", Class::Protocol),
        (b"\x83\x00", Class::Protocol),
        (b"\x89\x7e\x00\xff", Class::Protocol),
        (b"\x09\x00", Class::Protocol),
        (
            b"\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
            Class::BodyTooLarge,
        ),
        (
            b"\x82\x7f\x00\x00\x00\x00\x00\x10\x00\x01",
            Class::BodyTooLarge,
        ),
    ] {
        let failure = read_frame(bytes, MAX_MESSAGE).unwrap_err();
        assert_eq!(failure.class, class, "{bytes:?}");
    }
}

#[test]
fn sent_frames_are_masked() {
    let sent = frame(TEXT, b"Hello", [0x37, 0xfa, 0x21, 0x3d]);
    assert_eq!(sent, b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
    assert_eq!(frame(TEXT, &[0; 126], [0; 4])[..4], [0x81, 254, 0, 126]);
    assert_eq!(
        frame(BINARY, &vec![0; 0x1_0000], [0; 4]).len(),
        0x1_0000 + 14
    );
}

/// What becomes of a check whose server says this, and then closes the connection.
async fn check_of(said: &[u8], expect: serde_json::Value) -> Result<(), Failure> {
    let expect: Expectations = serde_json::from_value(expect).unwrap();
    replay(said, &expect).await
}

#[tokio::test]
async fn messages_are_read_until_one_is_as_expected() {
    let wanted = json!({ "contains": "ready" });
    // A greeting, a ping, and a message in two frames with a ping inside.
    let said = b"\x81\x05hello\x89\x02hi\x01\x02re\x89\x00\x80\x03ady";
    assert_eq!(check_of(said, wanted.clone()).await, Ok(()));
    for (said, class) in [
        (&b"\x81\x05hello"[..], Class::Assertion),
        (b"", Class::Closed),
        (b"\x88\x02\x03\xe8", Class::Closed),
        (b"\x80\x05ready", Class::Protocol),
        (b"\x01\x02re\x81\x03ady", Class::Protocol),
        (b"\x81\x05read", Class::Closed),
    ] {
        let failure = check_of(said, wanted.clone()).await.unwrap_err();
        assert_eq!(failure.class, class, "{said:?}");
    }
    assert_eq!(check_of(b"", json!({})).await, Ok(()));
}
