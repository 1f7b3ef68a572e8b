//! An authenticator in software: a passkey on the P-256 curve, without attestation.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::{SecureRandom as _, SystemRandom},
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::App;

/// The person was there, and was checked.
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
/// It may be synced, and is.
const CAN_BE_SYNCED: u8 = 0x08;
const IS_SYNCED: u8 = 0x10;
const NEW: u8 = 0x40;

/// A passkey in an authenticator.
pub struct Passkey {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    host: String,
    /// By what the site tells its people apart.
    handle: String,
    /// The page that asks.
    pub origin: String,
    /// How often it was used; `None` = it does not count.
    pub counter: Option<u32>,
    /// Whether the person is checked.
    pub verifies: bool,
}

/// The origin of pages on the host of passkeys.
pub fn origin(app: &App) -> String {
    app.base.replace("127.0.0.1", "localhost")
}

impl Passkey {
    /// A new one for what a site asked, with what the browser returns.
    pub fn create(app: &App, options: &Value) -> (Self, Value) {
        Self::create_at(&origin(app), options)
    }

    /// The same where the authenticator syncs what it makes, and does not count.
    pub fn create_synced(app: &App, options: &Value) -> (Self, Value) {
        let (mut passkey, _) = Self::create(app, options);
        passkey.counter = None;
        let answer = passkey.attest(&options["challenge"]);
        (passkey, answer)
    }

    pub fn create_at(origin: &str, options: &Value) -> (Self, Value) {
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        assert_eq!(
            options["authenticatorSelection"]["userVerification"],
            "required"
        );
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let mut id = vec![0; 32];
        random.fill(&mut id).unwrap();
        let passkey = Self {
            key: EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap(),
            id,
            host: text(&options["rp"]["id"]),
            handle: text(&options["user"]["id"]),
            origin: origin.to_owned(),
            counter: Some(0),
            verifies: true,
        };
        let answer = passkey.attest(&options["challenge"]);
        (passkey, answer)
    }

    pub fn id(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.id)
    }

    fn attest(&self, challenge: &Value) -> Value {
        let mut data = self.data(NEW);
        // No model, then the ID and the key.
        data.extend([0; 16]);
        data.extend([0, 32]);
        data.extend(&self.id);
        data.extend(self.public_key());
        let mut object = vec![0xa3];
        object.extend(cbor_text("fmt"));
        object.extend(cbor_text("none"));
        object.extend(cbor_text("attStmt"));
        object.push(0xa0);
        object.extend(cbor_text("authData"));
        object.extend([0x58, u8::try_from(data.len()).unwrap()]);
        object.extend(data);
        self.credential(&json!({
            "clientDataJSON": self.client_data("webauthn.create", challenge),
            "attestationObject": URL_SAFE_NO_PAD.encode(object),
            "transports": ["internal", "some-new-one"],
        }))
    }

    /// What the browser returns after a use.
    pub fn sign(&mut self, options: &Value) -> Value {
        if let Some(counter) = &mut self.counter {
            *counter += 1;
        }
        let data = self.data(0);
        let client = self.client_data("webauthn.get", &options["challenge"]);
        let client_bytes = URL_SAFE_NO_PAD.decode(&client).unwrap();
        let message = [data.as_slice(), &Sha256::digest(&client_bytes)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).unwrap();
        self.credential(&json!({
            "clientDataJSON": client,
            "authenticatorData": URL_SAFE_NO_PAD.encode(data),
            "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()),
            "userHandle": self.handle,
        }))
    }

    fn credential(&self, response: &Value) -> Value {
        json!({
            "id": self.id(), "rawId": self.id(), "type": "public-key", "response": response,
            "clientExtensionResults": {}, "authenticatorAttachment": "platform",
        })
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> String {
        let data = json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false });
        URL_SAFE_NO_PAD.encode(data.to_string())
    }

    fn data(&self, more: u8) -> Vec<u8> {
        let mut flags = PRESENT | more;
        if self.verifies {
            flags |= VERIFIED;
        }
        // What does not count is synced.
        if self.counter.is_none() {
            flags |= CAN_BE_SYNCED | IS_SYNCED;
        }
        let mut data = Sha256::digest(&self.host).to_vec();
        data.push(flags);
        data.extend(self.counter.unwrap_or_default().to_be_bytes());
        data
    }

    /// As COSE has it: a map with the curve's points.
    fn public_key(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let mut key = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        key.extend(&point[1..33]);
        key.extend([0x22, 0x58, 0x20]);
        key.extend(&point[33..65]);
        key
    }
}

fn cbor_text(text: &str) -> Vec<u8> {
    let head = 0x60 + u8::try_from(text.len()).unwrap();
    [&[head], text.as_bytes()].concat()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
