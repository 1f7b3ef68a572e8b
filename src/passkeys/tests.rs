//! Which addresses can have passkeys, and what an authenticator is asked. Right answers are in `tests/it/people/passkeys`.

use serde_json::json;

use super::{Registrant, RelyingParty};
use crate::ids::UserId;

#[test]
fn a_host_name_has_passkeys_and_an_ip_address_of_another_machine_has_none() {
    for (address, host) in [
        ("https://pharos.example", Some("pharos.example")),
        ("https://pharos.example:8443/app", Some("pharos.example")),
        ("http://localhost:8080", Some("localhost")),
        ("http://127.0.0.1:8080", Some("localhost")),
        ("http://[::1]:8080", Some("localhost")),
        ("http://192.0.2.7:8080", None),
        ("https://[2001:db8::1]", None),
        ("pharos.example", None),
        ("", None),
    ] {
        let site = RelyingParty::new(address);
        assert_eq!(site.as_ref().map(RelyingParty::id), host, "{address}");
    }
}

#[test]
fn a_new_passkey_is_asked_to_check_and_to_know_its_person() {
    let site = RelyingParty::new("https://pharos.example").unwrap();
    let user = UserId::from("one");
    let known = ["AAEC".to_owned()];
    let registrant = |user| Registrant {
        user,
        email: "a@b",
        name: "A",
        credentials: &known,
    };
    let (options, _) = site.start_registration(&registrant(&user)).unwrap();
    let selection = &options["authenticatorSelection"];
    assert_eq!(selection["residentKey"], "required");
    assert_eq!(selection["userVerification"], "required");
    assert_eq!(options["attestation"], "none");
    assert_eq!(options["rp"]["id"], "pharos.example");
    let excluded = json!([{ "type": "public-key", "id": "AAEC" }]);
    assert_eq!(options["excludeCredentials"], excluded);
    let (again, _) = site.start_registration(&registrant(&user)).unwrap();
    assert_eq!(again["user"]["id"], options["user"]["id"], "one handle");
    assert_ne!(again["challenge"], options["challenge"]);
    let other = UserId::from("other");
    let (other, _) = site.start_registration(&registrant(&other)).unwrap();
    assert_ne!(other["user"]["id"], options["user"]["id"]);
}

#[test]
fn a_use_is_asked_of_nobody_by_name() {
    let site = RelyingParty::new("https://pharos.example").unwrap();
    let (options, _) = site.start_authentication().unwrap();
    assert_eq!(options["allowCredentials"], json!([]));
    assert_eq!(options["userVerification"], "required");
    assert_eq!(options["rpId"], "pharos.example");
}
