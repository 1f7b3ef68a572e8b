use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::{patch::patched, text_enum::text_enums},
    egress::RecordKind,
    fault::Issue,
};

/// Everything about a monitor that can be set. In a change, `null` clears, absent fields stay, and objects are changed field by
/// field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MonitorFields {
    /// What kind of check it is; `http` unless something else is said. Cannot be changed later.
    pub kind: Kind,
    /// What is checked. `http` and `browser`: an address (`https://` is put before one without a scheme). `tcp`: `host:port`.
    /// `tls`: `host` or `host:port` (443). `dns`, `dnssec`, `domain` and `ping`: a name. `push`: nothing, your program calls the
    /// heartbeat URL.
    /// `websocket`: a `wss://` or `ws://` URL. `grpc`: `host`, `host:port` or `host:port/service` (443), with `grpc://` before
    /// it for no TLS. `snmp`: `host`, `host:port` (161) or `host:port/object`, such as `192.0.2.1/1.3.6.1.2.1.1.3.0`. `ntp`
    /// and `game`: `host` or `host:port` (123, 27015). Mail servers, databases and brokers: `host`, `host:port`, or a URL such
    /// as `rediss://host:6379` or `postgresql://host/database`.
    pub url: Option<String>,
    /// The name, at most 255 characters.
    pub name: Option<String>,
    /// The website it belongs to.
    pub website_id: Option<String>,
    /// The check interval.
    pub granularity: Option<Granularity>,
    /// Five fields of an ordinary cron expression instead of a granularity.
    pub cron: Option<String>,
    /// The time zone in which `cron` is meant; UTC by default.
    pub timezone: Option<String>,
    /// Milliseconds that a check may take, 1,000 to 120,000; 30,000 by default.
    pub timeout: Option<u32>,
    /// Adds a query parameter that changes with every check, to bypass caches.
    pub cache_bust: Option<bool>,
    /// Whether states and latencies in a JSON answer are stored with the check. They never decide it.
    pub json_parsing_config: Option<JsonParsing>,
    /// How the request is made, and the credentials (`http`, `websocket`, `grpc`, `snmp`, mail servers, databases, brokers).
    /// For steps: the headers and credentials of those at the origin of `url`, and `followRedirects` and `verifyTls` of all.
    pub request: Option<RequestFields>,
    /// Requests that follow one another in place of a single one (`http`), at most 10. `expect` is about the last answer.
    pub steps: Option<Vec<StepFields>>,
    /// The assertions.
    pub expect: Option<Expectations>,
    /// Which records are asked for (`dns`, `dnssec`); by default `A`, for `dnssec` `SOA`.
    pub record_type: Option<RecordKind>,
    /// Milliseconds beyond which a good answer counts as degraded.
    pub degraded_after: Option<u32>,
    /// Failed re-checks before it counts as down, 0 to 10; `monitors.retries` by default, none for `push` and with probes, where
    /// a re-check is the next slot.
    pub retries: Option<u32>,
    /// Seconds that a heartbeat may be late (`push`), 0 to 86,400; 60 by default.
    pub grace: Option<u32>,
    /// Where it is checked: `here` (this server) and IDs of probes, at most 20; `here` by default.
    pub places: Option<Vec<String>>,
    /// How many locations have to find it down; by default more than half of those that report.
    pub quorum: Option<u32>,
    /// Ids of monitors that this one depends on: while one of them is down, no messages are sent about this one.
    pub depends_on: Option<Vec<String>>,
    /// The group it is shown in, at most 100 characters.
    pub group: Option<String>,
    /// At most 20 tags of at most 50 characters.
    pub tags: Option<Vec<String>>,
    /// When checks do not count, at most 20 windows.
    pub maintenance: Option<Vec<Window>>,
}

/// Types of checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MonitorKind")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Kind {
    /// An HTTP or HTTPS request.
    #[default]
    Http,
    /// A TCP connection.
    Tcp,
    /// Records of a name.
    Dns,
    /// A certificate.
    Tls,
    /// An ICMP echo.
    Ping,
    /// Heartbeats that a program sends.
    Push,
    /// A mail server over SMTP.
    Smtp,
    /// A mailbox server over IMAP.
    Imap,
    /// A mailbox server over POP3.
    Pop3,
    /// The banner of an SSH server.
    Ssh,
    /// A connection to an MQTT broker.
    Mqtt,
    /// A Redis command.
    Redis,
    /// A PostgreSQL sign-in and statement.
    Postgresql,
    /// A MySQL or MariaDB sign-in and statement.
    Mysql,
    /// A MongoDB server.
    Mongodb,
    /// An AMQP 0-9-1 connection to RabbitMQ.
    Rabbitmq,
    /// The metadata of a Kafka cluster.
    Kafka,
    /// A WebSocket.
    Websocket,
    /// A health check of gRPC (`grpc.health.v1.Health`).
    Grpc,
    /// The registration of a domain, by RDAP.
    Domain,
    /// The signatures of a name's records, up to the root of DNS.
    Dnssec,
    /// A time server.
    Ntp,
    /// An object of SNMP, versions 1 and 2c.
    Snmp,
    /// A game server with Source queries (A2S).
    Game,
    /// A page in a real browser.
    Browser,
}

text_enums!(Kind);

/// The check interval of a monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// Twice a minute.
    ThirtySeconds,
    /// Every minute.
    Minute,
    /// Every five minutes.
    FiveMinutes,
    /// Every ten minutes.
    TenMinutes,
    /// Twice an hour.
    ThirtyMinutes,
    /// Every hour.
    Hour,
    /// Four times a day.
    SixHours,
    /// Twice a day.
    TwelveHours,
    /// Every day.
    Day,
    /// As `cron` says.
    Custom,
}

/// Granularities with their seconds and equivalent cron expressions, as the hosted product shows them.
const INTERVALS: [(Granularity, i64, &str); 9] = [
    (Granularity::ThirtySeconds, 30, "*/30 * * * * *"),
    (Granularity::Minute, 60, "* * * * *"),
    (Granularity::FiveMinutes, 300, "*/5 * * * *"),
    (Granularity::TenMinutes, 600, "*/10 * * * *"),
    (Granularity::ThirtyMinutes, 1_800, "*/30 * * * *"),
    (Granularity::Hour, 3_600, "0 * * * *"),
    (Granularity::SixHours, 21_600, "0 */6 * * *"),
    (Granularity::TwelveHours, 43_200, "0 */12 * * *"),
    (Granularity::Day, 86_400, "0 0 * * *"),
];

impl Granularity {
    /// Milliseconds between two checks; none for those of a cron expression.
    pub fn interval_ms(self) -> Option<i64> {
        let own = INTERVALS.iter().find(|(one, ..)| *one == self);
        own.map(|(_, seconds, _)| seconds * 1_000)
    }

    /// All intervals, milliseconds.
    pub(super) fn all_ms() -> impl Iterator<Item = i64> {
        INTERVALS.iter().map(|(_, seconds, _)| seconds * 1_000)
    }

    pub fn cron(self) -> &'static str {
        let own = INTERVALS.iter().find(|(one, ..)| *one == self);
        own.map_or("* * * * *", |(.., cron)| *cron)
    }
}

/// Whether JSON answers are parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JsonParsing {
    /// Whether they are.
    pub enabled: bool,
}

/// How a request is made.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RequestFields {
    /// `GET` by default.
    pub method: Option<Method>,
    /// Headers, at most 30. Values that look like secrets are never shown again.
    pub headers: Option<BTreeMap<String, String>>,
    /// The body, at most 100,000 characters. `websocket`: the message that is sent first. `postgresql`, `mysql`: one
    /// statement. `redis`: one command. `PING` or `SELECT 1` by default. It runs at every check, so it should only read.
    pub body: Option<String>,
    /// Credentials. `bearer` is for `http`, `websocket` and `grpc` alone.
    pub auth: Option<Auth>,
    /// The community (`snmp`); `public` by default. Never shown again.
    pub community: Option<String>,
    /// The version of SNMP (`snmp`); `2c` by default.
    pub snmp_version: Option<SnmpVersion>,
    /// Whether redirects are followed, at most ten; true by default.
    pub follow_redirects: Option<bool>,
    /// Whether a certificate that is not to be trusted fails the check; true by default.
    pub verify_tls: Option<bool>,
    /// Whether a connection that starts without TLS changes to it: `STARTTLS` for `smtp` and `imap`, `STLS` for `pop3`, a
    /// TLS request for `postgresql` and `mysql`. For `mongodb` and `kafka`, the connection starts with TLS. False by default.
    pub tls: Option<bool>,
}

impl std::fmt::Debug for RequestFields {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.headers.iter().flatten().map(|(name, _)| name);
        formatter
            .debug_struct("RequestFields")
            .field("method", &self.method)
            .field("headers", &names.collect::<Vec<_>>())
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

/// Versions of SNMP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SnmpVersion {
    /// Version 1.
    #[serde(rename = "1")]
    V1,
    /// Version 2c.
    #[default]
    #[serde(rename = "2c")]
    V2c,
}

impl SnmpVersion {
    /// Its number in messages.
    pub(super) const fn number(self) -> u8 {
        match self {
            Self::V1 => 0,
            Self::V2c => 1,
        }
    }
}

/// A request of a check with several. `{{name}}` in its URL, headers, body and credentials is a value that an earlier step saved,
/// escaped for its place.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "MonitorStep")]
pub struct StepFields {
    /// The name that errors show, at most 100 characters.
    pub name: Option<String>,
    /// The URL, or one relative to the monitor's. Its host can't be a saved value.
    pub url: String,
    /// `GET` by default.
    pub method: Option<Method>,
    /// Headers, at most 30. Values that look like secrets are never shown again.
    pub headers: Option<BTreeMap<String, String>>,
    /// The body, at most 100,000 characters.
    pub body: Option<String>,
    /// Credentials.
    pub auth: Option<Auth>,
    /// The assertions about the answer: `status`, `contains`, `lacks`, `matches`, `json` and `responseTime`.
    pub expect: Option<Expectations>,
    /// Values for later steps by their names, at most 20: a path in JSON such as `$.token`, a header such as `header:Location`, a
    /// part of one such as `header:Set-Cookie:session=([^;]+)`, or a regular expression whose first group is found in the body.
    pub save: Option<BTreeMap<String, String>>,
}

impl std::fmt::Debug for StepFields {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StepFields")
            .field("name", &self.name)
            .field("method", &self.method)
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

impl MonitorFields {
    /// Without the fields that a [`Monitor`](super::Monitor) holds itself.
    pub(super) fn bare(self) -> Self {
        Self {
            kind: Kind::default(),
            url: None,
            website_id: None,
            ..self
        }
    }

    /// Reads the fields of a new monitor. An unknown field, or one of another type, is an issue.
    pub fn read(fields: &serde_json::Map<String, serde_json::Value>) -> Result<Self, Vec<Issue>> {
        patched(("monitor", &Self::default()), fields, "")
    }
}

/// Methods of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "MonitorMethod")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

/// Credentials.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "MonitorAuth")]
pub enum Auth {
    /// A name and a password.
    Basic {
        /// The name.
        username: String,
        /// The password; never shown again.
        #[serde(default)]
        password: String,
    },
    /// A token.
    Bearer {
        /// The token; never shown again.
        #[serde(default)]
        token: String,
    },
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Basic { .. } => "Basic(…)",
            Self::Bearer { .. } => "Bearer(…)",
        })
    }
}

/// Expectations of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "MonitorExpectations")]
pub struct Expectations {
    /// Statuses that are good, such as `200`, `2xx` or `200-299`; `2xx` by default.
    pub status: Option<Vec<String>>,
    /// Text that the body has. `browser`: the text that the page shows. `websocket`: one of the first 100 messages. `domain`,
    /// `ntp`, `snmp` and `game`: the answer as JSON. `smtp`, `imap`, `pop3` and `ssh`: the greeting. `postgresql`, `mysql` and
    /// `redis`: the first value of the answer.
    pub contains: Option<String>,
    /// Text that the body does not have.
    pub lacks: Option<String>,
    /// A regular expression that the body matches somewhere.
    pub matches: Option<String>,
    /// What a JSON body has to say, at most 20; the same for the other answers that `contains` examines, but no greetings.
    pub json: Option<Vec<JsonExpectation>>,
    /// Milliseconds beyond which the check fails.
    pub response_time: Option<u32>,
    /// Records that the answer has to have (`dns`).
    pub records: Option<Vec<String>>,
    /// Days that the certificate has to be good for at least (`tls`, `http`, and others over TLS).
    pub certificate_days: Option<u32>,
    /// Text that the name of the certificate's issuer has, such as `Let's Encrypt`.
    pub certificate_issuer: Option<String>,
    /// Certificates that the server sends at least, its own included.
    pub certificate_chain: Option<u32>,
    /// Signed certificate timestamps (SCTs) that the certificate holds at least, 1 to 10.
    pub certificate_scts: Option<u32>,
    /// Days that the domain has to be registered for at least (`domain`); 14 by default.
    pub domain_days: Option<u32>,
    /// Milliseconds that the clock of the server may be away from the one of pharos (`ntp`).
    pub offset: Option<u32>,
}

/// An expectation of one value in a JSON body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonExpectation {
    /// The path, such as `$.services[0].status`.
    pub path: String,
    /// The expected value; anything but `null` and `false` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
}

/// A maintenance window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MaintenanceWindow")]
pub struct Window {
    /// What is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The beginning of a single window: a time such as `2026-12-31T22:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<String>,
    /// The end of a single window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// When a recurring window begins: five fields of a cron expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// How long a recurring window lasts, 1 to 1,440 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// The time zone in which `cron` is meant; UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}
