//! Rules about values that their types do not already hold. Pure: nothing is opened or looked up.

use url::{Host, Url};

use super::{
    Bytes, Settings,
    mistake::{Mistake, Origin},
    sections::{Ack, Acme, Agent, Auth, EventStore, Geo, Mail, Oidc, Plans, Server},
};
use crate::oidc::{CreateAccounts, RoleRule};

/// Below this the engine cannot finish an ordinary query.
const LEAST_MEMORY: Bytes = Bytes(32 << 20);

/// What is wrong with a value, before its origin is known.
pub(super) struct Finding {
    pub(super) key: String,
    what: String,
}

impl Finding {
    pub(super) fn at(self, origin: Origin) -> Mistake {
        Mistake::new(origin, self.key, self.what)
    }
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, key: impl Into<String>, what: impl Into<String>) {
        let (key, what) = (key.into(), what.into());
        self.0.push(Finding { key, what });
    }
}

fn rdap(url: &str, findings: &mut Findings) {
    let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    let holds = url.is_empty() || (is_web && url.ends_with('/'));
    if !holds {
        let what = "must be an http or https URL that ends with /";
        findings.add("egress.rdap_url", what);
    }
}

/// Everything that is wrong with these settings.
pub(super) fn settings(settings: &Settings) -> Vec<Finding> {
    let mut findings = Findings::default();
    server(&settings.server, &settings.geo, &mut findings);
    public_addresses(&settings.server, &mut findings);
    acme(&settings.acme, &mut findings);
    addresses(settings, &mut findings);
    amounts(settings, &mut findings);
    rdap(&settings.egress.rdap_url, &mut findings);
    plans(&settings.plans, &mut findings);
    mail(&settings.mail, &mut findings);
    agent(&settings.agent, &mut findings);
    auth(&settings.auth, &settings.server, &mut findings);
    let remote = settings.events.store == EventStore::Clickhouse;
    if remote && settings.events.clickhouse_url.expose().is_empty() {
        let what = "must be given together with `events.store = \"clickhouse\"`";
        findings.add("events.clickhouse_url", what);
    }
    if !remote && settings.ingest.ack == Ack::Remote {
        findings.add(
            "ingest.ack",
            "can be \"remote\" only where `events.store` is \"clickhouse\"",
        );
    }
    if settings.storage.data_dir.trim().is_empty() {
        findings.add("storage.data_dir", "must name a directory");
    }
    if let Err(what) = log_level(&settings.log.level) {
        findings.add("log.level", what);
    }
    findings.0
}

fn server(server: &Server, geo: &Geo, findings: &mut Findings) {
    listeners(server, findings);
    let (certificate, key) = ("server.tls_certificate", "server.tls_key");
    match (server.tls_certificate.is_empty(), server.tls_key.is_empty()) {
        (false, true) => findings.add(certificate, format!("must be given together with `{key}`")),
        (true, false) => findings.add(key, format!("must be given together with `{certificate}`")),
        _ => {}
    }
    for (nth, origin) in server.allowed_origins.iter().enumerate() {
        let given = Url::parse(origin).map(|url| url.origin().ascii_serialization());
        if given.as_deref() != Ok(origin) || !origin.starts_with("http") {
            let what = "must be an origin without a path, such as \"https://console.example.com\"";
            findings.add(format!("server.allowed_origins[{nth}]"), what);
        }
    }
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !server.client_ip_header.bytes().all(token) {
        findings.add("server.client_ip_header", "must be the name of a header");
    }
    for (key, name) in [
        ("geo.country_header", &geo.country_header),
        ("geo.region_header", &geo.region_header),
        ("geo.city_header", &geo.city_header),
    ] {
        if !name.bytes().all(token) {
            findings.add(key, "must be the name of a header");
        }
    }
    let sane = |byte: u8| byte.is_ascii_graphic() && !b"?#%{}\"<>\\".contains(&byte);
    let path = &server.tracker_path;
    if !path.starts_with('/') || path.len() < 2 || !path.bytes().all(sane) {
        findings.add(
            "server.tracker_path",
            "must be a path, such as \"/pharos.js\"",
        );
    }
}

fn listeners(server: &Server, findings: &mut Findings) {
    let mut listeners = vec![
        ("server.api_listen", server.api_listen),
        ("server.track_listen", server.track_listen),
        ("server.links_listen", server.links_listen),
    ];
    for (key, given) in [
        ("server.https_listen", &server.https_listen),
        ("server.http_listen", &server.http_listen),
    ] {
        match given.parse() {
            Ok(listener) => listeners.push((key, listener)),
            Err(_) if given.is_empty() => {}
            Err(_) => findings.add(
                key,
                "must be an address and a port, such as \"0.0.0.0:443\"",
            ),
        }
    }
    if !server.http_listen.is_empty() && server.https_listen.is_empty() {
        let what = "must be given together with `server.https_listen`";
        findings.add("server.http_listen", what);
    }
    for (nth, (key, listener)) in listeners.iter().enumerate() {
        let twin = listeners[..nth].iter().find(|(_, other)| other == listener);
        if let (Some((twin, _)), true) = (twin, listener.port() != 0) {
            findings.add(*key, format!("is the same address as `{twin}`"));
        }
    }
}

fn acme(acme: &Acme, findings: &mut Findings) {
    address(
        "acme.directory_url",
        &acme.directory_url,
        &["https"],
        findings,
    );
    if acme.staging && acme.directory_url != Acme::PRODUCTION {
        let what = "can't be true together with another `acme.directory_url`";
        findings.add("acme.staging", what);
    }
    let email = &acme.email;
    if !email.is_empty() && (!email.contains('@') || email.contains([' ', ',', '?'])) {
        findings.add(
            "acme.email",
            "must be an email address, such as \"admin@example.com\"",
        );
    }
    let (id, key) = ("acme.eab_key_id", "acme.eab_hmac_key");
    match (acme.eab_key_id.is_empty(), acme.eab_hmac_key.is_empty()) {
        (false, true) => findings.add(id, format!("must be given together with `{key}`")),
        (true, false) => findings.add(key, format!("must be given together with `{id}`")),
        _ => {}
    }
    if acme.eab_hmac_key_bytes().is_none() {
        findings.add(key, "must be base64url, as the authority shows it");
    }
}

const WEB: &[&str] = &["http", "https"];

fn public_addresses(server: &Server, findings: &mut Findings) {
    for (key, given) in [
        ("server.base_url", &server.base_url),
        ("server.track_url", &server.track_url),
        ("server.links_url", &server.links_url),
        ("server.docs_url", &server.docs_url),
    ] {
        address(key, given, WEB, findings);
        let adorned = Url::parse(given).is_ok_and(|url| {
            let user = !url.username().is_empty() || url.password().is_some();
            user || url.query().is_some() || url.fragment().is_some()
        });
        if adorned {
            findings.add(key, "must not carry a user, a query or a fragment");
        }
    }
}

fn addresses(settings: &Settings, findings: &mut Findings) {
    let alarms = &settings.alarms;
    for (key, given) in [
        (
            "events.clickhouse_url",
            settings.events.clickhouse_url.expose(),
        ),
        ("alarms.slack_base_url", &alarms.slack_base_url),
        ("alarms.discord_base_url", &alarms.discord_base_url),
        ("alarms.telegram_base_url", &alarms.telegram_base_url),
        ("alarms.teams_base_url", &alarms.teams_base_url),
        ("alarms.pagerduty_base_url", &alarms.pagerduty_base_url),
        ("agent.base_url", &settings.agent.base_url),
        ("telemetry.otlp_endpoint", &settings.telemetry.otlp_endpoint),
        ("egress.browser_url", &settings.egress.browser_url),
    ] {
        address(key, given, WEB, findings);
    }
    for (nth, given) in alarms.base_urls.iter().enumerate() {
        let key = format!("alarms.base_urls[{nth}]");
        match given.split_once('=') {
            Some((_, given)) => address(&key, given, WEB, findings),
            None => findings.add(key, "must be like \"ntfy=https://relay.example.com\""),
        }
    }
    address(
        "redis.url",
        settings.redis.url.expose(),
        &["redis", "rediss"],
        findings,
    );
    address(
        "mail.smtp_url",
        settings.mail.smtp_url.expose(),
        &["smtp", "smtps"],
        findings,
    );
    let database = settings.database.url.expose();
    let postgres =
        Url::parse(database).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql"));
    if !settings.database.is_embedded() && !postgres {
        findings.add(
            "database.url",
            "must be \"sqlite\" or an address that begins with postgres://",
        );
    }
}

/// An address may be left empty, but not be half of one. The value is not repeated: it may hold a password.
fn address(key: &str, given: &str, schemes: &[&str], findings: &mut Findings) {
    let complete = Url::parse(given).is_ok_and(|url| {
        let host = !matches!(url.host(), None | Some(Host::Domain("")));
        host && schemes.contains(&url.scheme())
    });
    if !given.is_empty() && !complete {
        let schemes = schemes.join(":// or ");
        findings.add(
            key,
            format!("must be an address that begins with {schemes}:// and names a host"),
        );
    }
}

fn amounts(settings: &Settings, findings: &mut Findings) {
    for (key, count) in [
        ("server.body_seconds", settings.server.body_seconds),
        ("server.write_seconds", settings.server.write_seconds),
        ("redis.timeout_ms", settings.redis.timeout_ms),
        ("ingest.dedup_hours", settings.ingest.dedup_hours),
        ("query.deadline_seconds", settings.query.deadline_seconds),
        ("query.concurrent", settings.query.concurrent),
        ("monitors.concurrency", settings.monitors.concurrency),
        ("monitors.retention_days", settings.monitors.retention_days),
        ("agent.timeout_seconds", settings.agent.timeout_seconds),
    ] {
        if count == 0 {
            findings.add(key, "must be at least 1");
        }
    }
    if settings.query.memory < LEAST_MEMORY {
        findings.add(
            "query.memory",
            format!("must be at least \"{LEAST_MEMORY}\""),
        );
    }
}

fn plans(plans: &Plans, findings: &mut Findings) {
    let names = plans
        .named
        .keys()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if !plans.named.contains_key(&plans.default) {
        findings.add("plans.default", format!("must be one of the plans {names}"));
    }
    for (name, plan) in &plans.named {
        if !plan.next.is_empty() && !plans.named.contains_key(&plan.next) {
            let what = format!("must be empty or one of the plans {names}");
            findings.add(format!("plans.{name}.next"), what);
        }
    }
}

fn mail(mail: &Mail, findings: &mut Findings) {
    let wanted = !mail.from.is_empty() || !mail.smtp_url.is_empty();
    if wanted && !mail.from.contains('@') {
        findings.add(
            "mail.from",
            "must be a mail address, such as \"pharos@example.com\"",
        );
    }
}

fn agent(agent: &Agent, findings: &mut Findings) {
    if !agent.base_url.is_empty() && agent.model.is_empty() {
        findings.add(
            "agent.model",
            "must be given together with `agent.base_url`",
        );
    }
}

fn auth(auth: &Auth, server: &Server, findings: &mut Findings) {
    for (nth, provider) in auth.oidc.iter().enumerate() {
        let earlier = &auth.oidc[..nth];
        if earlier.iter().any(|other| other.name == provider.name) {
            let what = format!("is the name of another provider, {:?}", provider.name);
            findings.add(format!("auth.oidc[{nth}].name"), what);
        }
        for (field, what) in oidc(provider) {
            findings.add(format!("auth.oidc[{nth}].{field}"), what);
        }
    }
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !auth.proxy_header.bytes().all(token) {
        findings.add("auth.proxy_header", "must be the name of a header");
    }
    if !auth.proxy_header.is_empty() && server.trusted_proxies.is_empty() {
        let what = "is believed from `server.trusted_proxies` only, which lists no network";
        findings.add("auth.proxy_header", what);
    }
    address("auth.proxy_jwks_url", &auth.proxy_jwks_url, WEB, findings);
    let signed = !auth.proxy_jwks_url.is_empty();
    if signed && auth.proxy_header.is_empty() {
        let what = "must be given together with `auth.proxy_header`";
        findings.add("auth.proxy_jwks_url", what);
    }
    if signed == auth.proxy_audience.is_empty() {
        let what = "must be given together with `auth.proxy_jwks_url`";
        findings.add("auth.proxy_audience", what);
    }
}

/// What is wrong with a provider, by field.
fn oidc(provider: &Oidc) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    let mut must = |holds: bool, field, what: &str| {
        if !holds {
            wrong.push((field, what.to_owned()));
        }
    };
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let name = &provider.name;
    let named = (1..=32).contains(&name.len()) && name.bytes().all(plain);
    let what = "must have 1 to 32 lower-case letters, digits and hyphens";
    must(named && !name.starts_with('-'), "name", what);
    let issuer = Url::parse(&provider.issuer).is_ok_and(|url| {
        let bare = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        bare && url.has_host() && WEB.contains(&url.scheme())
    });
    let what = "must be the provider's address, such as \"https://id.example.com\"";
    must(issuer, "issuer", what);
    must(!provider.client_id.is_empty(), "client_id", "must be given");
    let scopes = provider.scopes.split(' ').any(|scope| scope == "openid");
    must(scopes, "scopes", "must hold `openid`");
    let domain = |domain: &String| !domain.is_empty() && !domain.contains(['@', ' ', '*']);
    let what = "must be domains, such as [\"example.com\"]";
    must(
        provider.email_domains.iter().all(domain),
        "email_domains",
        what,
    );
    let open = provider.create_accounts == CreateAccounts::VerifiedEmail;
    let what = "must name the domains whose people get an account, because `create_accounts` is \"verified_email\"";
    must(
        !open || !provider.email_domains.is_empty(),
        "email_domains",
        what,
    );
    let readable = |(group, text): (&String, &String)| RoleRule::parse(group, text).is_some();
    let what = "must give `organization-id:role` for each group; roles are owner, admin, member and viewer";
    must(provider.roles.iter().all(readable), "roles", what);
    wrong
}

/// A level, or `target=level`, or several of them with commas between.
fn log_level(directives: &str) -> Result<(), String> {
    const LEVELS: [&str; 6] = ["trace", "debug", "info", "warn", "error", "off"];
    for directive in directives.split(',').map(str::trim) {
        let level = directive
            .rsplit_once('=')
            .map_or(directive, |(_, level)| level);
        if !LEVELS.contains(&level) {
            return Err(format!(
                "holds {directive:?}: write one of {}, or `target=level`",
                LEVELS.join(", ")
            ));
        }
    }
    Ok(())
}
