//! The defaults of the settings, as they are promised.

use toml::Value;

/// Every default that is promised, as TOML writes it.
const PROMISED: &str = r#"
server.api_listen = "127.0.0.1:8080"
server.track_listen = "127.0.0.1:8081"
server.links_listen = "127.0.0.1:8082"
server.base_url = ""
server.track_url = ""
server.links_url = ""
server.docs_url = ""
server.trusted_proxies = []
server.client_ip_header = ""
server.workers = 0
server.max_connections = 0
server.body_seconds = 60
server.body_memory = "128M"
server.write_seconds = 30
server.tls_certificate = ""
server.tls_key = ""
server.https_listen = ""
server.http_listen = ""
server.allowed_origins = []
server.tracker_path = "/pharos.js"
acme.directory_url = "https://acme-v02.api.letsencrypt.org/directory"
acme.staging = false
acme.email = ""
acme.root_certificate = ""
acme.eab_key_id = ""
acme.eab_hmac_key = ""
storage.data_dir = "./data"
storage.reserve_bytes = 0
database.url = "sqlite"
redis.url = ""
redis.ingest_degraded = "refuse"
redis.timeout_ms = 200
events.store = "embedded"
events.clickhouse_url = ""
events.clickhouse_cluster = ""
events.retention_days = 0
ingest.ack = "fsync"
ingest.dedup_hours = 24
ingest.on_fsync_error = "close"
ingest.honour_gpc = true
ingest.honour_dnt = false
query.memory = "192M"
query.deadline_seconds = 15
query.threads = 0
query.concurrent = 4
monitors.concurrency = 256
monitors.retention_days = 400
monitors.retries = 3
limits.track_requests = 600
limits.mcp_requests = 6000
limits.query_requests = 120
limits.query_requests_anonymous = 60
limits.compile_requests = 300
limits.compile_requests_anonymous = 60
limits.flags_requests = 600
limits.key_requests = 300
limits.key_in_flight = 20
limits.body_bytes = 2097152
egress.allow = []
egress.blocked_ports = [22, 25, 110, 143, 445, 3306, 5432, 6379, 9000, 9200, 11211, 27017]
geo.database = ""
plans.enabled = false
plans.default = "free"
mail.smtp_url = ""
mail.from = ""
alarms.slack_base_url = "https://hooks.slack.com"
alarms.discord_base_url = "https://discord.com"
alarms.telegram_base_url = "https://api.telegram.org"
alarms.pagerduty_base_url = "https://events.pagerduty.com"
signup.open = false
auth.oidc = []
auth.proxy_header = ""
auth.proxy_jwks_url = ""
auth.proxy_audience = ""
agent.base_url = ""
agent.api_key = ""
agent.model = ""
log.format = "auto"
log.level = "info"
telemetry.otlp_endpoint = ""
provision.directory = ""
"#;

fn flat(table: &toml::Table, prefix: &str, into: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flat(inner, &format!("{prefix}{key}."), into),
            value => into.push((format!("{prefix}{key}"), value.clone())),
        }
    }
}

#[test]
fn settings_have_the_defaults_that_are_promised() {
    let (mut promised, mut all) = (Vec::new(), Vec::new());
    flat(&PROMISED.parse().unwrap(), "", &mut promised);
    let file = include_str!("../../../config/pharos.toml");
    flat(&file.parse().unwrap(), "", &mut all);
    for (key, value) in promised {
        let own = all.iter().find(|(name, _)| *name == key);
        assert_eq!(own.map(|(_, own)| own), Some(&value), "{key}");
    }
    for plan in ["free", "hobby", "pro", "scale"] {
        for key in [
            "events_per_month",
            "websites",
            "links",
            "monitors",
            "members",
            "features",
            "next",
        ] {
            let key = format!("plans.{plan}.{key}");
            assert!(all.iter().any(|(name, _)| *name == key), "{key}");
        }
    }
}
