//! A root zone with a key of its own, and what is said of names whose signatures hold or don't.

use std::{
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::Arc,
    thread,
    time::Duration,
};

use hickory_resolver::proto::{
    dnssec::{
        Algorithm, DnssecSigner, SigningKey as _, TrustAnchors,
        crypto::EcdsaSigningKey,
        rdata::{DNSKEY, DNSSECRData, RRSIG},
    },
    op::{Message, ResponseCode},
    rr::{DNSClass, Name, RData, Record, RecordSet, RecordType, rdata::A},
};

use super::{Chain, Class, Names, RecordKind, Resolve as _};

const TTL: u32 = 60;
const YEAR: Duration = Duration::from_hours(24 * 365);

struct Root(DnssecSigner);

impl Root {
    /// A root whose signatures hold for so long, from the beginning of 2020.
    fn new(lasts: Duration) -> Self {
        let algorithm = Algorithm::ECDSAP256SHA256;
        let pkcs8 = EcdsaSigningKey::generate_pkcs8(algorithm).unwrap();
        let key = EcdsaSigningKey::from_pkcs8(&pkcs8, algorithm).unwrap();
        let public = key.to_public_key().unwrap();
        let dnskey = DNSKEY::from_key(&public);
        Self(DnssecSigner::new(
            dnskey,
            Box::new(key),
            Name::root(),
            lasts,
        ))
    }

    fn anchors(&self) -> TrustAnchors {
        let mut anchors = TrustAnchors::empty();
        anchors.insert(&self.0.key().to_public_key().unwrap());
        anchors
    }

    fn sign(&self, name: &Name, data: RData) -> Vec<Record> {
        let mut set = RecordSet::with_ttl(name.clone(), data.record_type(), TTL);
        set.add_rdata(data.clone());
        let from = rcgen::date_time_ymd(2020, 1, 1);
        let signature = RRSIG::from_rrset(&set, DNSClass::IN, from, &self.0).unwrap();
        let signature = RData::DNSSEC(DNSSECRData::RRSIG(signature));
        let record = |data| Record::from_rdata(name.clone(), TTL, data);
        vec![record(data), record(signature)]
    }

    fn answer(&self, name: &Name, kind: RecordType) -> Vec<Record> {
        let address = RData::A(A(Ipv4Addr::new(192, 0, 2, 1)));
        match (name.to_string().as_str(), kind) {
            (".", RecordType::DNSKEY) => {
                let key = RData::DNSSEC(DNSSECRData::DNSKEY(self.0.to_dnskey()));
                self.sign(name, key)
            }
            ("signed.example.", RecordType::A) => self.sign(name, address),
            ("forged.example.", RecordType::A) => {
                let mut records = self.sign(name, address);
                records[0].data = RData::A(A(Ipv4Addr::new(192, 0, 2, 66)));
                records
            }
            ("bare.example.", RecordType::A) => {
                vec![Record::from_rdata(name.clone(), TTL, address)]
            }
            _ => Vec::new(),
        }
    }

    /// Answers until the process ends.
    fn serve(self: Arc<Self>) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 2_048];
            while let Ok((length, from)) = socket.recv_from(&mut bytes) {
                let asked = Message::from_vec(&bytes[..length]).unwrap();
                let query = asked.queries.first().unwrap().clone();
                let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
                answer.metadata.response_code = ResponseCode::NoError;
                for record in self.answer(query.name(), query.query_type()) {
                    answer.add_answer(record);
                }
                answer.add_query(query);
                let _ = socket.send_to(&answer.to_vec().unwrap(), from);
            }
        });
        address
    }
}

async fn validate(lasts: Duration, name: &str) -> Result<Chain, Class> {
    let root = Arc::new(Root::new(lasts));
    let anchors = root.anchors();
    let names = Names::trusting(&[root.serve()], anchors).unwrap();
    let validated = names.validate(name, RecordKind::A).await;
    validated.map_err(|failure| failure.class)
}

#[tokio::test]
async fn a_chain_holds_up_to_the_key_that_is_trusted() {
    assert_eq!(
        validate(30 * YEAR, "signed.example").await,
        Ok(Chain::Signed)
    );
}

#[tokio::test]
async fn forged_and_expired_signatures_do_not_hold() {
    for (lasts, name) in [(30 * YEAR, "forged.example"), (YEAR, "signed.example")] {
        assert_eq!(validate(lasts, name).await, Err(Class::Bogus), "{name}");
    }
}

#[tokio::test]
async fn a_record_without_a_signature_is_never_signed() {
    let validated = validate(30 * YEAR, "bare.example").await;
    assert_ne!(validated, Ok(Chain::Signed));
}
