//! Signatures of every kind but RSA, which the tests with a provider cover, and claims that are none.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use proptest::prelude::*;
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
        EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _,
    },
};
use serde_json::{Value, json};

use super::{
    Failure, Keys, identity::Identity, jose::Rejection, label, metadata::Metadata, trusts,
};

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key set with one key, and a token that it signed.
fn signed(algorithm: &str, kid: &Value) -> (Vec<u8>, String) {
    let random = SystemRandom::new();
    let head = json!({ "alg": algorithm, "kid": kid }).to_string();
    let message = format!("{}.{}", encode(head), encode(r#"{"sub":"ada"}"#));
    let curve = |kind: &'static EcdsaSigningAlgorithm, name: &str, length: usize| {
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap();
        let point = &pair.public_key().as_ref()[1..];
        let (x, y) = point.split_at(length);
        let key = json!({ "kty": "EC", "crv": name, "x": encode(x), "y": encode(y) });
        let signature = pair.sign(&random, message.as_bytes()).unwrap();
        (key, encode(signature))
    };
    let (mut key, signature) = match algorithm {
        "ES256" => curve(&ECDSA_P256_SHA256_FIXED_SIGNING, "P-256", 32),
        "ES384" => curve(&ECDSA_P384_SHA384_FIXED_SIGNING, "P-384", 48),
        _ => {
            let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
            let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
            let x = encode(pair.public_key());
            let key = json!({ "kty": "OKP", "crv": "Ed25519", "x": x });
            (key, encode(pair.sign(message.as_bytes())))
        }
    };
    key["kid"] = json!("1");
    let other = json!({ "kty": "oct", "k": "AAAA", "kid": "2" });
    let set = json!({ "keys": [7, other, key] }).to_string();
    (set.into_bytes(), format!("{message}.{signature}"))
}

#[test]
fn a_token_counts_with_the_key_that_signed_it_and_no_other() {
    for algorithm in ["ES256", "ES384", "EdDSA"] {
        let (set, token) = signed(algorithm, &json!("1"));
        let keys = Keys::parse(&set).unwrap();
        assert_eq!(keys.verify(&token).unwrap()["sub"], "ada");
        let (other, _) = signed(algorithm, &json!("1"));
        let bad = Err(Rejection::Other(Failure::BadSignature));
        assert_eq!(Keys::parse(&other).unwrap().verify(&token), bad);
        assert_eq!(keys.verify(&token[..token.len() - 1]), bad);
        assert_eq!(keys.verify(&format!("{token}.")), bad);

        // Another ID, or none where the key is another one, may be of a new key.
        let (_, unknown) = signed(algorithm, &json!("3"));
        assert_eq!(keys.verify(&unknown), Err(Rejection::UnknownKey));
        let (_, nameless) = signed(algorithm, &Value::Null);
        assert_eq!(keys.verify(&nameless), Err(Rejection::UnknownKey));
    }
}

#[test]
fn a_key_is_not_used_under_another_algorithm() {
    let (set, token) = signed("ES256", &json!("1"));
    let keys = Keys::parse(&set).unwrap();
    let (_, rest) = token.split_once('.').unwrap();
    for algorithm in ["RS256", "ES384", "EdDSA"] {
        let head = encode(json!({ "alg": algorithm, "kid": "1" }).to_string());
        let bad = Err(Rejection::Other(Failure::BadSignature));
        assert_eq!(keys.verify(&format!("{head}.{rest}")), bad, "{algorithm}");
    }
    for algorithm in ["none", "HS256", "es256", ""] {
        let head = encode(json!({ "alg": algorithm, "kid": "1" }).to_string());
        let refused = keys.verify(&format!("{head}.{rest}"));
        assert!(
            matches!(refused, Err(Rejection::Other(Failure::Algorithm(_)))),
            "{algorithm}"
        );
    }
    let head = encode(json!({ "alg": "ES256", "kid": "1", "crit": ["b64"] }).to_string());
    assert!(keys.verify(&format!("{head}.{rest}")).is_err());
}

#[test]
fn a_description_names_its_issuer_and_safe_addresses() {
    let issuer = "https://id.example";
    let description = |field: &str, value: Value| {
        let mut written = json!({
            "issuer": issuer, "authorization_endpoint": "https://id.example/auth", "token_endpoint": "https://id.example/token",
            "jwks_uri": "https://keys.example/keys",
        });
        written[field] = value;
        Metadata::parse(issuer, written.to_string().as_bytes())
    };
    assert!(description("userinfo_endpoint", json!("https://id.example/me")).is_ok());
    let other = Err(Failure::IssuerDiffers("https://id.example/".to_owned()));
    assert_eq!(description("issuer", json!("https://id.example/")), other);
    for (field, value) in [
        ("token_endpoint", json!("http://id.example/token")),
        ("jwks_uri", json!("file:///etc/passwd")),
        ("authorization_endpoint", json!("javascript:alert(1)")),
        ("userinfo_endpoint", json!("/me")),
        ("jwks_uri", json!(null)),
    ] {
        let refused = description(field, value);
        assert!(matches!(refused, Err(Failure::BadAnswer(..))), "{field}");
    }
}

#[test]
fn people_and_domains_are_told_apart() {
    let domains = ["acme.example".to_owned()];
    assert!(trusts(&domains, "a@acme.example") && trusts(&domains, "a@ACME.example"));
    for other in [
        "a@x.acme.example",
        "a@acme.example.x",
        "acme.example",
        "a@acme.example@x",
    ] {
        assert!(!trusts(&domains, other), "{other}");
    }
    assert_eq!(label("google"), "Google");
    assert_eq!(label("entra"), "Microsoft");
    assert_eq!(label("my-company"), "My Company");
    assert_eq!(label("--"), "");
}

fn identity(claims: &Value, groups_claim: &str) -> Result<Identity, Failure> {
    let claims = claims.as_object().unwrap();
    Identity::read("ada".to_owned(), claims, groups_claim)
}

#[test]
fn claims_are_read_in_the_forms_that_providers_write() {
    for (claims, verified) in [
        (json!({ "email_verified": true }), true),
        (json!({ "email_verified": "true" }), true),
        (json!({ "xms_edov": 1 }), true),
        (json!({ "xms_edov": "1" }), true),
        (json!({ "email_verified": false }), false),
        (json!({ "email_verified": "yes" }), false),
        (json!({ "email_verified": ["true"] }), false),
        (json!({}), false),
    ] {
        let read = identity(&claims, "groups").unwrap();
        assert_eq!(read.email_verified, verified, "{claims}");
    }
    for (claims, groups) in [
        (json!({ "groups": ["a", 7, "b"] }), vec!["a", "b"]),
        (json!({ "groups": "a" }), vec!["a"]),
        (json!({ "groups": { "a": true } }), vec![]),
        (json!({}), vec![]),
    ] {
        assert_eq!(
            identity(&claims, "groups").unwrap().groups,
            groups,
            "{claims}"
        );
    }
    let nested = json!({ "realm_access": { "roles": ["a"] }, "https://x.example/groups": ["b"] });
    assert_eq!(
        identity(&nested, "realm_access.roles").unwrap().groups,
        ["a"]
    );
    assert_eq!(
        identity(&nested, "https://x.example/groups")
            .unwrap()
            .groups,
        ["b"]
    );
    let overflow = json!({ "_claim_names": { "groups": "src1" } });
    assert_eq!(identity(&overflow, "groups"), Err(Failure::TooManyGroups));
}

proptest! {
    #[test]
    fn any_text_is_survived(set in any::<Vec<u8>>(), token in ".*", head in ".*") {
        let keys = Keys::parse(&set).unwrap_or_default();
        prop_assert!(keys.verify(&token).is_err());
        let made = format!("{}.{}.{}", encode(&head), encode(&token), encode(&set));
        prop_assert!(keys.verify(&made).is_err());
        let _ = Metadata::parse(&head, &set);
    }
}
