//! Lists of IP addresses and networks, as people write them.

use std::{borrow::Cow, net::IpAddr};

use ipnet::{IpNet, Ipv4Net};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::issues::Issues;

/// Entries of a list.
const MAX: usize = 100;

/// An address alone or a network, IPv4-mapped ones as IPv4.
pub fn network(text: &str) -> Option<IpNet> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_canonical().into());
    }
    let network = text.parse::<IpNet>().ok()?.trunc();
    match (network.addr().to_canonical(), network.prefix_len()) {
        (IpAddr::V4(address), length @ 96..) if network.addr().is_ipv6() => {
            Some(Ipv4Net::new(address, length - 96).ok()?.into())
        }
        _ => Some(network),
    }
}

/// A network as it is stored and shown; one of a single address as that.
pub fn spell(network: &IpNet) -> String {
    if network.prefix_len() == network.max_prefix_len() {
        network.addr().to_string()
    } else {
        network.to_string()
    }
}

/// Addresses and networks; at most 100. On the wire a list of texts, or null for none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks {
    networks: Vec<IpNet>,
    /// What is neither, with its place in the list.
    wrong: Vec<(usize, String)>,
}

impl Networks {
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty()
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }

    /// Refuses what is wrong with the list in this field.
    pub(super) fn check(&self, field: &str, issues: &mut Issues) {
        for (place, text) in &self.wrong {
            let message =
                format!("“{text}” isn't an IP address or a network such as 203.0.113.0/24");
            issues.refuse("invalid", &format!("{field}[{place}]"), message);
        }
        let fits = self.networks.len() <= MAX;
        let message = format!("at most {MAX} addresses and networks");
        issues.require(fits, "invalid_value", field, message);
    }
}

impl Serialize for Networks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.networks.iter().map(spell))
    }
}

impl<'de> Deserialize<'de> for Networks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts: Option<Vec<String>> = Option::deserialize(from)?;
        let mut read = Self::default();
        for (place, text) in texts.unwrap_or_default().into_iter().enumerate() {
            match network(text.trim()) {
                Some(network) => read.networks.push(network),
                None => read.wrong.push((place, text)),
            }
        }
        Ok(read)
    }
}

impl JsonSchema for Networks {
    fn schema_name() -> Cow<'static, str> {
        "Networks".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "maxItems": MAX, "items": { "type": "string" } })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn networks_are_spelled_in_one_way_and_contain_addresses_of_either_form() {
        let given = json!([
            "::ffff:203.0.113.7/120",
            " 198.51.100.9 ",
            "::ffff:192.0.2.1",
            "2001:db8::/32"
        ]);
        let networks: Networks = serde_json::from_value(given).unwrap();
        let spelled = json!([
            "203.0.113.0/24",
            "198.51.100.9",
            "192.0.2.1",
            "2001:db8::/32"
        ]);
        assert_eq!(json!(networks), spelled);
        let has = |text: &str| networks.contains(text.parse().unwrap());
        for inside in [
            "203.0.113.255",
            "::ffff:203.0.113.1",
            "198.51.100.9",
            "192.0.2.1",
            "2001:db8::1",
        ] {
            assert!(has(inside), "{inside}");
        }
        for outside in [
            "203.0.114.0",
            "198.51.100.8",
            "2001:db9::1",
            "::203.0.113.1",
        ] {
            assert!(!has(outside), "{outside}");
        }
        let none: Networks = serde_json::from_value(json!(null)).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn what_is_no_network_is_refused_at_its_place() {
        let issues = |list: serde_json::Value| {
            let networks: Networks = serde_json::from_value(list).unwrap();
            let mut issues = Issues::default();
            networks.check("allowedIps", &mut issues);
            let issues = issues.into_list().into_iter();
            issues.map(|issue| issue.field).collect::<Vec<_>>()
        };
        let wrong = json!(["192.0.2.1", "203.0.113.0/33", "office", ""]);
        let places = ["allowedIps[1]", "allowedIps[2]", "allowedIps[3]"];
        assert_eq!(issues(wrong), places);
        assert_eq!(issues(json!(vec!["192.0.2.1"; 100])), [""; 0]);
        assert_eq!(issues(json!(vec!["192.0.2.1"; 101])), ["allowedIps"]);
    }
}
