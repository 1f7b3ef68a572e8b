//! The table of monitor types: targets, fields and names. Targets, rules, the console's form and the guide derive from it.

use super::{
    Kind,
    kind_info::{Field, KindInfo, PathForm, Scheme, TargetForm},
};

/// Without TLS, gRPC has no port of its own.
const GRPC: &[Scheme] = &[
    Scheme::tls("grpcs", 443),
    Scheme {
        name: "grpc",
        port: None,
        is_tls: false,
    },
];

/// Every monitor type, in the order of lists.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        kind: Kind::Http,
        label: "Website or API (HTTP)",
        checks: "An HTTP or HTTPS request over a new connection, or several (`steps`)",
        target: TargetForm::Url(&["https", "http"]),
        fields: &[
            Field::Http,
            Field::Status,
            Field::Steps,
            Field::Headers,
            Field::Auth,
            Field::Body,
            Field::VerifyTls,
            Field::Text,
            Field::Json,
            Field::Certificate,
        ],
    },
    KindInfo {
        kind: Kind::Browser,
        label: "Page in a browser",
        checks: "A page in Chromium, with its scripts (`egress.browser_url`)",
        target: TargetForm::Url(&["https", "http"]),
        fields: &[Field::Status, Field::Text],
    },
    KindInfo {
        kind: Kind::Websocket,
        label: "WebSocket",
        checks: "The upgrade, a message (`request.body`), and an answer that meets the assertions",
        target: TargetForm::Url(&["wss", "ws"]),
        fields: &[
            Field::Headers,
            Field::Auth,
            Field::Body,
            Field::VerifyTls,
            Field::Text,
            Field::Json,
            Field::Certificate,
        ],
    },
    KindInfo {
        kind: Kind::Grpc,
        label: "gRPC health",
        checks: "A health check (`grpc.health.v1.Health/Check`)",
        target: TargetForm::Service(GRPC, PathForm::Service),
        fields: &[
            Field::Headers,
            Field::Auth,
            Field::VerifyTls,
            Field::Certificate,
        ],
    },
    KindInfo {
        kind: Kind::Tcp,
        label: "TCP port",
        checks: "A TCP connection",
        target: TargetForm::HostAndPort(None),
        fields: &[],
    },
    KindInfo {
        kind: Kind::Tls,
        label: "TLS certificate",
        checks: "A certificate",
        target: TargetForm::HostAndPort(Some(443)),
        fields: &[Field::Certificate],
    },
    KindInfo {
        kind: Kind::Dns,
        label: "DNS record",
        checks: "Records of a name (`recordType`, `expect.records`)",
        target: TargetForm::Name,
        fields: &[Field::RecordType, Field::Records],
    },
    KindInfo {
        kind: Kind::Dnssec,
        label: "DNSSEC",
        checks: "The signatures of a name's records, up to the root of DNS (`recordType`)",
        target: TargetForm::Name,
        fields: &[Field::RecordType],
    },
    KindInfo {
        kind: Kind::Domain,
        label: "Domain expiration",
        checks: "The expiration of a registered domain, by RDAP (`expect.domainDays`)",
        target: TargetForm::Domain,
        fields: &[Field::DomainDays, Field::Text, Field::Json],
    },
    KindInfo {
        kind: Kind::Ping,
        label: "Ping",
        checks: "ICMP echo, if the system allows it (`net.ipv4.ping_group_range`)",
        target: TargetForm::Host,
        fields: &[],
    },
    KindInfo {
        kind: Kind::Ntp,
        label: "Time server (NTP)",
        checks: "A time server and its distance from the clock of pharos (`expect.offset`)",
        target: TargetForm::Service(&[Scheme::plain("ntp", 123)], PathForm::None),
        fields: &[Field::Offset, Field::Text, Field::Json],
    },
    KindInfo {
        kind: Kind::Snmp,
        label: "SNMP",
        checks: "An object of SNMP 1 or 2c (`request.community`, `request.snmpVersion`)",
        target: TargetForm::Service(&[Scheme::plain("snmp", 161)], PathForm::Object),
        fields: &[Field::Community, Field::Text, Field::Json],
    },
    KindInfo {
        kind: Kind::Smtp,
        label: "Mail server (SMTP)",
        checks: "Greeting, EHLO, sign-in",
        target: TargetForm::Service(
            &[Scheme::plain("smtp", 25), Scheme::tls("smtps", 465)],
            PathForm::None,
        ),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Imap,
        label: "Mailbox (IMAP)",
        checks: "Greeting, capabilities, sign-in",
        target: TargetForm::Service(
            &[Scheme::plain("imap", 143), Scheme::tls("imaps", 993)],
            PathForm::None,
        ),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Pop3,
        label: "Mailbox (POP3)",
        checks: "Greeting, capabilities, sign-in",
        target: TargetForm::Service(
            &[Scheme::plain("pop3", 110), Scheme::tls("pop3s", 995)],
            PathForm::None,
        ),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Ssh,
        label: "SSH",
        checks: "The banner, without a sign-in",
        target: TargetForm::Service(&[Scheme::plain("ssh", 22)], PathForm::None),
        fields: &[Field::Text],
    },
    KindInfo {
        kind: Kind::Mqtt,
        label: "MQTT broker",
        checks: "CONNECT, until the broker accepts it",
        target: TargetForm::Service(
            &[Scheme::plain("mqtt", 1883), Scheme::tls("mqtts", 8883)],
            PathForm::None,
        ),
        fields: &[Field::Auth, Field::VerifyTls, Field::Certificate],
    },
    KindInfo {
        kind: Kind::Redis,
        label: "Redis",
        checks: "Sign-in and `PING`, or one command (`request.body`)",
        target: TargetForm::Service(
            &[Scheme::plain("redis", 6379), Scheme::tls("rediss", 6379)],
            PathForm::Number,
        ),
        fields: &[
            Field::Auth,
            Field::Body,
            Field::VerifyTls,
            Field::Text,
            Field::Json,
            Field::Certificate,
        ],
    },
    KindInfo {
        kind: Kind::Postgresql,
        label: "PostgreSQL",
        checks: "Sign-in and `SELECT 1`, or one statement (`request.body`)",
        target: TargetForm::Service(
            &[
                Scheme::plain("postgresql", 5432),
                Scheme::plain("postgres", 5432),
            ],
            PathForm::Segment,
        ),
        fields: DATABASE,
    },
    KindInfo {
        kind: Kind::Mysql,
        label: "MySQL or MariaDB",
        checks: "Sign-in and a ping, or one statement (`request.body`)",
        target: TargetForm::Service(
            &[Scheme::plain("mysql", 3306), Scheme::plain("mariadb", 3306)],
            PathForm::Segment,
        ),
        fields: DATABASE,
    },
    KindInfo {
        kind: Kind::Mongodb,
        label: "MongoDB",
        checks: "`hello`, sign-in (SCRAM-SHA-256) and `ping`",
        target: TargetForm::Service(&[Scheme::plain("mongodb", 27017)], PathForm::Segment),
        fields: CLUSTER,
    },
    KindInfo {
        kind: Kind::Rabbitmq,
        label: "RabbitMQ",
        checks: "AMQP 0-9-1: the greeting, or sign-in and virtual host",
        target: TargetForm::Service(
            &[Scheme::plain("amqp", 5672), Scheme::tls("amqps", 5671)],
            PathForm::Segment,
        ),
        fields: &[Field::Auth, Field::VerifyTls, Field::Certificate],
    },
    KindInfo {
        kind: Kind::Kafka,
        label: "Kafka",
        checks: "Sign-in (SASL PLAIN) and the brokers of the cluster",
        target: TargetForm::Service(&[Scheme::plain("kafka", 9092)], PathForm::None),
        fields: CLUSTER,
    },
    KindInfo {
        kind: Kind::Game,
        label: "Game server (Source)",
        checks: "A game server that answers Source queries (A2S)",
        target: TargetForm::Service(&[Scheme::plain("a2s", 27_015)], PathForm::None),
        fields: &[Field::Text, Field::Json],
    },
    KindInfo {
        kind: Kind::Push,
        label: "Heartbeat (push)",
        checks: "Nothing: your program calls pharos",
        target: TargetForm::Nothing,
        fields: &[Field::Grace],
    },
];

const MAIL: &[Field] = &[
    Field::Auth,
    Field::Tls,
    Field::VerifyTls,
    Field::Text,
    Field::Certificate,
];

const DATABASE: &[Field] = &[
    Field::Auth,
    Field::Body,
    Field::Tls,
    Field::VerifyTls,
    Field::Text,
    Field::Json,
    Field::Certificate,
];

const CLUSTER: &[Field] = &[
    Field::Auth,
    Field::Tls,
    Field::VerifyTls,
    Field::Certificate,
];

impl Kind {
    /// Its row of the table.
    pub fn info(self) -> &'static KindInfo {
        let own = KINDS.iter().find(|row| row.kind == self);
        own.unwrap_or(&KINDS[0])
    }
}

/// How many monitor types have a field.
pub const fn count_with(field: Field) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < KINDS.len() {
        if KINDS[at].has(field) {
            count += 1;
        }
        at += 1;
    }
    count
}

/// The names of the monitor types that have a field, all [`count_with`] of them.
pub const fn names_with<const N: usize>(field: Field) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut at, mut count) = (0, 0);
    while at < KINDS.len() {
        if KINDS[at].has(field) && count < N {
            names[count] = KINDS[at].kind.as_str();
            count += 1;
        }
        at += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_type_has_one_row_and_schemes_have_one_type() {
        let kinds: HashSet<&str> = KINDS.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds.len(), KINDS.len());
        assert_eq!(kinds.len(), <Kind as strum::VariantArray>::VARIANTS.len());
        let mut schemes = HashSet::new();
        for row in KINDS {
            if let TargetForm::Service(all, _) = row.target {
                assert!(all.iter().all(|one| schemes.insert(one.name)), "{row:?}");
            }
        }
    }

    #[test]
    fn names_of_a_field_are_those_of_its_rows() {
        const WITH_TEXT: [&str; count_with(Field::Text)] = names_with(Field::Text);
        assert!(WITH_TEXT.contains(&"ssh") && !WITH_TEXT.contains(&"kafka"));
        assert_eq!(count_with(Field::Target), KINDS.len() - 1);
    }

    #[test]
    fn the_guide_has_a_row_for_every_type_in_the_same_order() {
        let guide = include_str!("../../../docs/monitors.md");
        let row = |row: &KindInfo| {
            let usual = match row.kind {
                Kind::Http => " (default)",
                _ => "",
            };
            let name = row.kind.as_str();
            format!("| `{name}`{usual} | {} | {} |\n", row.checks, row.example())
        };
        let table: String = KINDS.iter().map(row).collect();
        assert!(guide.contains(&table), "docs/monitors.md has no\n{table}");
    }
}
