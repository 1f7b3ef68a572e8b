//! Records of a name, and which of them are returned.

use std::sync::Arc;

use super::{
    Class, Egress, Policy, RecordKind,
    testing::{Book, this_machine},
};

#[tokio::test]
async fn records_are_what_the_resolver_says_and_the_policy_is_in_the_log() {
    let book = Book::default().with("here.example", &[&["127.0.0.1"]]);
    let egress = Egress::new(this_machine(), Arc::new(book)).unwrap();
    let records = egress.records("here.example", RecordKind::A).await;
    assert_eq!(records.unwrap(), ["127.0.0.1"]);
    let unknown = egress.records("nobody.example", RecordKind::A).await;
    assert_eq!(unknown.unwrap_err().class, Class::NameNotFound);
    assert!(format!("{egress:?}").contains("127.0.0.0/8"), "{egress:?}");
}

#[tokio::test]
async fn records_say_no_more_of_networks_inside_than_connections_do() {
    let book = || {
        let book = Book::default().with("inside.example", &[&["10.0.0.1"]]);
        let book = book.with("mixed.example", &[&["8.8.8.8", "fd00::1"]]);
        Arc::new(book.with("public.example", &[&["8.8.8.8"]]))
    };
    let egress = Egress::new(Policy::default(), book()).unwrap();
    let ask = async |egress: &Egress, name: &str, kind| {
        let found = egress.records(name, kind).await;
        found.map_err(|failure| (failure.class, failure.message))
    };
    assert_eq!(
        ask(&egress, "public.example", RecordKind::A).await.unwrap(),
        ["8.8.8.8"]
    );
    for (name, kind) in [
        ("inside.example", RecordKind::A),
        ("mixed.example", RecordKind::Aaaa),
        ("localhost", RecordKind::A),
        ("db.internal", RecordKind::Txt),
        ("printer.local.", RecordKind::Srv),
    ] {
        let (class, message) = ask(&egress, name, kind).await.unwrap_err();
        assert_eq!(class, Class::BlockedAddress, "{name}: {message}");
        assert!(
            !message.contains("10.0.0.1") && !message.contains("fd00"),
            "{message}"
        );
    }
    let policy = Policy {
        allow: vec!["10.0.0.0/8".parse().unwrap()],
        ..Policy::default()
    };
    let open = Egress::new(policy, book()).unwrap();
    assert_eq!(
        ask(&open, "inside.example", RecordKind::A).await.unwrap(),
        ["10.0.0.1"]
    );
}
