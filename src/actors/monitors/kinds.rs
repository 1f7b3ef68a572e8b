//! The table of monitor types: targets, fields and names. Targets, rules, the console's form and the guide derive from it.

use super::Kind;

/// A monitor type.
#[derive(Debug, Clone, Copy)]
pub struct KindInfo {
    pub kind: Kind,
    /// The name for people.
    pub label: &'static str,
    /// What a check does, as the guide says it.
    pub checks: &'static str,
    pub(super) target: TargetForm,
    /// The fields that not every type has.
    pub(super) fields: &'static [Field],
}

/// How a target is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum TargetForm {
    /// An HTTP URL.
    Url,
    /// A host and a port, and the default port.
    HostAndPort(Option<u16>),
    Host,
    /// A DNS name.
    Name,
    /// Nothing: it calls us.
    Nothing,
    /// A host of a protocol with schemes of its own, the default first, and what the path names.
    Service(&'static [Scheme], PathForm),
}

/// A scheme with its default port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scheme {
    pub(super) name: &'static str,
    pub(super) port: u16,
    /// Whether connections start with TLS.
    pub(super) is_tls: bool,
}

/// What the path of a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathForm {
    None,
    /// One segment: a database or a virtual host.
    Segment,
    /// The number of a database.
    Number,
}

/// A field that not every monitor type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `url`, `timeout` and `expect.responseTime`: everything that pharos checks itself.
    Target,
    /// Method, headers and redirects of HTTP, its statuses and JSON.
    Http,
    Auth,
    Body,
    VerifyTls,
    Tls,
    /// Assertions about text.
    Text,
    CertificateDays,
    Records,
    Grace,
}

const fn plain(name: &'static str, port: u16) -> Scheme {
    Scheme {
        name,
        port,
        is_tls: false,
    }
}

const fn tls(name: &'static str, port: u16) -> Scheme {
    Scheme {
        name,
        port,
        is_tls: true,
    }
}

/// Every monitor type, in the order of lists.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        kind: Kind::Http,
        label: "Website or API (HTTP)",
        checks: "An HTTP or HTTPS request over a new connection",
        target: TargetForm::Url,
        fields: &[
            Field::Http,
            Field::Auth,
            Field::Body,
            Field::VerifyTls,
            Field::Text,
            Field::CertificateDays,
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
        fields: &[Field::CertificateDays],
    },
    KindInfo {
        kind: Kind::Dns,
        label: "DNS record",
        checks: "Records of a name (`recordType`, `expect.records`)",
        target: TargetForm::Name,
        fields: &[Field::Records],
    },
    KindInfo {
        kind: Kind::Ping,
        label: "Ping",
        checks: "ICMP echo, if the system allows it (`net.ipv4.ping_group_range`)",
        target: TargetForm::Host,
        fields: &[],
    },
    KindInfo {
        kind: Kind::Smtp,
        label: "Mail server (SMTP)",
        checks: "Greeting, EHLO, sign-in",
        target: TargetForm::Service(&[plain("smtp", 25), tls("smtps", 465)], PathForm::None),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Imap,
        label: "Mailbox (IMAP)",
        checks: "Greeting, capabilities, sign-in",
        target: TargetForm::Service(&[plain("imap", 143), tls("imaps", 993)], PathForm::None),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Pop3,
        label: "Mailbox (POP3)",
        checks: "Greeting, capabilities, sign-in",
        target: TargetForm::Service(&[plain("pop3", 110), tls("pop3s", 995)], PathForm::None),
        fields: MAIL,
    },
    KindInfo {
        kind: Kind::Ssh,
        label: "SSH",
        checks: "The banner, without a sign-in",
        target: TargetForm::Service(&[plain("ssh", 22)], PathForm::None),
        fields: &[Field::Text],
    },
    KindInfo {
        kind: Kind::Mqtt,
        label: "MQTT broker",
        checks: "CONNECT, until the broker accepts it",
        target: TargetForm::Service(&[plain("mqtt", 1883), tls("mqtts", 8883)], PathForm::None),
        fields: &[Field::Auth, Field::VerifyTls, Field::CertificateDays],
    },
    KindInfo {
        kind: Kind::Redis,
        label: "Redis",
        checks: "Sign-in and `PING`, or one command (`request.body`)",
        target: TargetForm::Service(
            &[plain("redis", 6379), tls("rediss", 6379)],
            PathForm::Number,
        ),
        fields: &[
            Field::Auth,
            Field::Body,
            Field::VerifyTls,
            Field::Text,
            Field::CertificateDays,
        ],
    },
    KindInfo {
        kind: Kind::Postgresql,
        label: "PostgreSQL",
        checks: "Sign-in and `SELECT 1`, or one statement (`request.body`)",
        target: TargetForm::Service(
            &[plain("postgresql", 5432), plain("postgres", 5432)],
            PathForm::Segment,
        ),
        fields: DATABASE,
    },
    KindInfo {
        kind: Kind::Mysql,
        label: "MySQL or MariaDB",
        checks: "Sign-in and a ping, or one statement (`request.body`)",
        target: TargetForm::Service(
            &[plain("mysql", 3306), plain("mariadb", 3306)],
            PathForm::Segment,
        ),
        fields: DATABASE,
    },
    KindInfo {
        kind: Kind::Mongodb,
        label: "MongoDB",
        checks: "`hello`, sign-in (SCRAM-SHA-256) and `ping`",
        target: TargetForm::Service(&[plain("mongodb", 27017)], PathForm::Segment),
        fields: CLUSTER,
    },
    KindInfo {
        kind: Kind::Rabbitmq,
        label: "RabbitMQ",
        checks: "AMQP 0-9-1: the greeting, or sign-in and virtual host",
        target: TargetForm::Service(
            &[plain("amqp", 5672), tls("amqps", 5671)],
            PathForm::Segment,
        ),
        fields: &[Field::Auth, Field::VerifyTls, Field::CertificateDays],
    },
    KindInfo {
        kind: Kind::Kafka,
        label: "Kafka",
        checks: "Sign-in (SASL PLAIN) and the brokers of the cluster",
        target: TargetForm::Service(&[plain("kafka", 9092)], PathForm::None),
        fields: CLUSTER,
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
    Field::CertificateDays,
];

const DATABASE: &[Field] = &[
    Field::Auth,
    Field::Body,
    Field::Tls,
    Field::VerifyTls,
    Field::Text,
    Field::CertificateDays,
];

const CLUSTER: &[Field] = &[
    Field::Auth,
    Field::Tls,
    Field::VerifyTls,
    Field::CertificateDays,
];

impl KindInfo {
    pub const fn has(&self, field: Field) -> bool {
        if field as u8 == Field::Target as u8 {
            return !matches!(self.target, TargetForm::Nothing);
        }
        // Const functions have no iterators.
        let mut at = 0;
        while at < self.fields.len() {
            if self.fields[at] as u8 == field as u8 {
                return true;
            }
            at += 1;
        }
        false
    }

    /// How its target is written, as the guide says it.
    pub fn example(&self) -> String {
        match self.target {
            TargetForm::Url => "A URL; `https://` is added if the scheme is missing".to_owned(),
            TargetForm::HostAndPort(None) => "`host:port`".to_owned(),
            TargetForm::HostAndPort(Some(_)) => "`host` or `host:port`".to_owned(),
            TargetForm::Host => "A host".to_owned(),
            TargetForm::Name => "A name".to_owned(),
            TargetForm::Nothing => "none".to_owned(),
            TargetForm::Service(schemes, path) => {
                let path = match path {
                    PathForm::None => "",
                    PathForm::Segment if self.kind as u8 == Kind::Rabbitmq as u8 => "/vhost",
                    PathForm::Segment => "/database",
                    PathForm::Number => "/0",
                };
                let one = |one: &Scheme| format!("`{}://host:{}{path}`", one.name, one.port);
                schemes.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// The row of a monitor type.
pub(super) fn find(kind: Kind) -> &'static KindInfo {
    let own = KINDS.iter().find(|row| row.kind == kind);
    own.unwrap_or(&KINDS[0])
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
    fn the_guide_has_a_row_for_every_type() {
        let guide = include_str!("../../../docs/monitors.md");
        for row in KINDS {
            let name = row.kind.as_str();
            let usual = if row.kind == Kind::Http {
                " (default)"
            } else {
                ""
            };
            let line = format!("| `{name}`{usual} | {} | {} |", row.checks, row.example());
            assert!(
                guide.contains(&line),
                "docs/monitors.md has no line\n{line}"
            );
        }
    }
}
