//! A name server on loopback that says what the test says.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, UdpSocket},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use hickory_resolver::proto::{
    op::{Message, ResponseCode},
    rr::{
        Name, RData, Record, RecordType,
        rdata::{A, CNAME, NS, TXT},
    },
};
use serde_json::Value;

#[derive(Default)]
struct Records {
    texts: HashMap<String, Vec<String>>,
    addresses: HashMap<String, Ipv4Addr>,
    aliases: HashMap<String, String>,
    name_servers: HashMap<String, Vec<String>>,
    is_broken: bool,
    is_silent: bool,
}

/// The server, which ends with the process.
pub struct Names {
    port: u16,
    records: Arc<Mutex<Records>>,
}

impl Names {
    pub fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let records = Arc::new(Mutex::new(Records::default()));
        let known = Arc::clone(&records);
        thread::spawn(move || {
            let mut bytes = [0; 2048];
            while let Ok((length, from)) = socket.recv_from(&mut bytes) {
                let Ok(asked) = Message::from_vec(&bytes[..length]) else {
                    continue;
                };
                let records = known.lock().unwrap_or_else(PoisonError::into_inner);
                if records.is_silent {
                    continue;
                }
                let answer = answer(&asked, &records);
                drop(records);
                let _ = socket.send_to(&answer.to_vec().unwrap(), from);
            }
        });
        Self { port, records }
    }

    /// The setting by which the program asks it.
    pub fn toml(&self) -> String {
        format!("egress.name_servers = ['{}']", self.address())
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Publishes the record that a domain asks for.
    pub fn publish(&self, domain: &Value) {
        let text = |name: &str| domain[name].as_str().unwrap().to_owned();
        self.set(&text("recordName"), &[&text("recordText")]);
    }

    /// The text records of a name; without any the name does not exist.
    pub fn set(&self, name: &str, texts: &[&str]) {
        let mut records = self.records.lock().unwrap();
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        records.texts.insert(name.to_owned(), texts);
    }

    /// The address of a name; `None` = it has none.
    pub fn set_address(&self, name: &str, address: Option<&str>) {
        let addresses = &mut self.records.lock().unwrap().addresses;
        match address {
            Some(address) => addresses.insert(name.to_owned(), address.parse().unwrap()),
            None => addresses.remove(name),
        };
    }

    /// The name that a name is an alias of.
    pub fn set_alias(&self, name: &str, target: &str) {
        let aliases = &mut self.records.lock().unwrap().aliases;
        aliases.insert(name.to_owned(), target.to_owned());
    }

    /// The name servers of a name.
    pub fn set_name_servers(&self, name: &str, servers: &[&str]) {
        let servers = servers.iter().map(|server| (*server).to_owned()).collect();
        let mut records = self.records.lock().unwrap();
        records.name_servers.insert(name.to_owned(), servers);
    }

    /// Whether it answers nothing from now on.
    pub fn set_silent(&self, is_silent: bool) {
        self.records.lock().unwrap().is_silent = is_silent;
    }

    /// Whether it answers with an error from now on.
    pub fn set_broken(&self, is_broken: bool) {
        self.records.lock().unwrap().is_broken = is_broken;
    }
}

fn answer(asked: &Message, records: &Records) -> Message {
    let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
    let query = asked.queries.first().unwrap().clone();
    let data = records.find(&query.name().to_lowercase().to_string(), query.query_type());
    answer.metadata.response_code = match &data {
        _ if records.is_broken => ResponseCode::ServFail,
        Some(_) => ResponseCode::NoError,
        None => ResponseCode::NXDomain,
    };
    for data in data.into_iter().flatten().filter(|_| !records.is_broken) {
        answer.add_answer(Record::from_rdata(query.name().clone(), 60, data));
    }
    answer.add_query(query);
    answer
}

impl Records {
    /// The records of a name, as far as there are any of this kind; `None` = there is no such name.
    fn find(&self, name: &str, kind: RecordType) -> Option<Vec<RData>> {
        let name = name.trim_end_matches('.');
        let texts = self.texts.get(name).filter(|texts| !texts.is_empty());
        let (address, alias) = (self.addresses.get(name), self.aliases.get(name));
        let servers = self.name_servers.get(name);
        if texts.is_none() && address.is_none() && alias.is_none() && servers.is_none() {
            return None;
        }
        let text = |text: &String| RData::TXT(TXT::new(vec![text.clone()]));
        let alias_data = |target: &String| RData::CNAME(CNAME(Name::from_utf8(target).unwrap()));
        let server_data = |name: &String| RData::NS(NS(Name::from_utf8(name).unwrap()));
        Some(match kind {
            RecordType::NS => servers.into_iter().flatten().map(server_data).collect(),
            RecordType::TXT => texts.into_iter().flatten().map(text).collect(),
            RecordType::A => address.map(|ip| RData::A(A(*ip))).into_iter().collect(),
            RecordType::CNAME => alias.map(alias_data).into_iter().collect(),
            _ => Vec::new(),
        })
    }
}
