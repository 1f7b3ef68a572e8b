//! The listeners for all hosts, the authority, and the certificates.

use super::{Finding, network::check_listener};
use crate::{
    acme::Authority,
    actors::certificates::{HostState, read_states},
    clock::{Clock, iso_ms},
    config::Settings,
    platform::{Stores, certificates},
};

/// What helps when an order fails.
const REACHABLE: &str = "check that the host's DNS record leads here, and that ports 80 and 443 are reachable from the internet";

/// Nothing without `server.https_listen`.
pub(super) async fn all(settings: &Settings) -> Vec<Finding> {
    let server = &settings.server;
    let Some(https) = server.https_address() else {
        return Vec::new();
    };
    let mut findings = vec![check_listener("HTTPS listener", https).await.1];
    if let Some(http) = server.http_address() {
        findings.push(check_listener("HTTP listener", http).await.1);
    }
    findings.extend(check_authority(settings).await);
    findings.push(match load(settings).await {
        Ok(states) => describe(&states, &missing(settings, &states)),
        Err(error) => {
            let fix = "`pharos serve` or `pharos setup` makes the installation";
            Finding::bad("certificates", format!("{error:#}"), fix)
        }
    });
    findings
}

async fn check_authority(settings: &Settings) -> Option<Finding> {
    let what = "ACME directory";
    let Some(options) = certificates::options(&settings.acme) else {
        let fix = "set `acme.directory_url`, or leave `server.https_listen` empty";
        return Some(Finding::doubtful(what, "none is set", fix));
    };
    let url = options.directory_url.clone();
    let authority = match Authority::new(options, Clock::system()) {
        Ok(authority) => authority,
        Err(error) => {
            let fix = "`acme.root_certificate` is a PEM file with the certificates of a private authority, or empty";
            return Some(Finding::bad(what, error, fix));
        }
    };
    Some(match authority.check_directory().await {
        Ok(()) => Finding::good(what, format!("{url} answers")),
        Err(failure) => Finding::bad(
            what,
            format!("{url}: {failure}"),
            "let this machine reach the authority, or set another `acme.directory_url`",
        ),
    })
}

async fn load(settings: &Settings) -> anyhow::Result<Vec<HostState>> {
    let state = Stores::state_beside(settings).await?;
    let states = read_states(&state).await;
    let _ = state.close().await;
    Ok(states?)
}

/// The installation's own hosts that have no certificate.
fn missing(settings: &Settings, states: &[HostState]) -> Vec<String> {
    let own = certificates::own_names(&settings.server.urls());
    let has = |name: &String| {
        let mut known = states.iter();
        known.any(|state| state.host == *name && state.ends_ms.is_some())
    };
    own.into_iter().filter(|name| !has(name)).collect()
}

fn describe(states: &[HostState], missing: &[String]) -> Finding {
    let what = "certificates";
    let now_ms = Clock::system().now_ms();
    let ends = || states.iter().filter_map(|state| state.ends_ms);
    let (valid, pending) = (ends().count(), states.len() - ends().count());
    let failing: Vec<&HostState> = states.iter().filter(|one| one.error.is_some()).collect();
    let mut seen = format!(
        "{valid} stored, {pending} pending, {} failing",
        failing.len()
    );
    if let Some(end) = ends().min() {
        seen = format!("{seen}; the first one ends on {}", iso_ms(end));
    }
    if let Some(state) = failing.first() {
        let error = state.error.as_deref().unwrap_or_default();
        seen = format!("{seen}; {}: {error}", state.host);
    }
    if ends().any(|end| end <= now_ms) {
        return Finding::bad(what, seen, format!("one has ended: {REACHABLE}"));
    }
    if !failing.is_empty() {
        return Finding::doubtful(what, seen, REACHABLE);
    }
    match missing {
        [] => Finding::good(what, seen),
        missing => {
            let seen = format!("{seen}; none yet for {}", missing.join(", "));
            let fix = "start the server, and look for `certificate` in its log";
            Finding::doubtful(what, seen, fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::doctor::Health;

    fn state(host: &str, ends_ms: Option<i64>, error: Option<&str>) -> HostState {
        HostState {
            host: host.to_owned(),
            ends_ms,
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn certificates_are_in_order_until_one_is_missing_fails_or_has_ended() {
        let later = Some(Clock::system().now_ms() + 90 * 86_400_000);
        let valid = || state("a.example", later, None);
        assert_eq!(describe(&[valid()], &[]).health, Health::Good);
        let missing = describe(&[valid()], &["b.example".to_owned()]);
        assert_eq!(missing.health, Health::Doubtful);
        assert!(missing.seen.ends_with("none yet for b.example"));
        let failing = state("c.example", None, Some("connection refused"));
        let failing = describe(&[valid(), failing], &[]);
        assert_eq!(failing.health, Health::Doubtful);
        assert!(failing.seen.contains("1 stored, 1 pending, 1 failing"));
        assert!(failing.seen.ends_with("c.example: connection refused"));
        let ended = state("d.example", Some(0), None);
        assert_eq!(describe(&[valid(), ended], &[]).health, Health::Bad);
    }
}
