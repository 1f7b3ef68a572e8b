//! The numbers: how many requests a minute each endpoint family admits. Reloadable; 0 = unlimited.

use serde::{Deserialize, Serialize};

use super::{Bucket, Rate};

/// Endpoint families with a window of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `POST /v1/query`.
    Query,
    /// The protocol of agents.
    Mcp,
    /// `/insights/*`.
    Insights,
    /// Messages to the assistant.
    Chats,
    /// Public dashboards.
    Share,
    /// Pages of the console, by session.
    Console,
    /// `POST /v1/query/compile`.
    Compile,
    /// The ingestion routes.
    Track,
    /// Reports of tool calls.
    Calls,
    /// `POST /identify`.
    Identify,
    /// The public flag routes.
    Flags,
}

/// `[limits]` of the configuration: requests in a rolling window of 60 seconds, and the caps beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Ingestion, per key or per website and address.
    pub track_requests: u32,
    /// Reports of tool calls, per key.
    pub mcp_requests: u32,
    /// Queries of a key or a person.
    pub query_requests: u32,
    /// Queries of an anonymous address.
    pub query_requests_anonymous: u32,
    /// Compilations of a key or a person.
    pub compile_requests: u32,
    /// Compilations of an anonymous address.
    pub compile_requests_anonymous: u32,
    /// Flag evaluations, per client id and address.
    pub flags_requests: u32,
    /// All requests of a key whose rate limiting is on and that has no number of its own.
    pub key_requests: u32,
    /// Requests of one key that may run at once.
    pub key_in_flight: u32,
    /// Unknown keys, from one address.
    pub key_failures: u32,
    /// Largest body, counted after decompression. Listeners are built with it, so a change needs a restart.
    pub body_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            track_requests: 600,
            mcp_requests: 6_000,
            query_requests: 120,
            query_requests_anonymous: 60,
            compile_requests: 300,
            compile_requests_anonymous: 60,
            flags_requests: 600,
            key_requests: 300,
            key_in_flight: 20,
            key_failures: 600,
            body_bytes: 2 << 20,
        }
    }
}

/// Pages of the console in a minute.
const CONSOLE_PAGES: u32 = 600;
const MINUTE_MS: i64 = 60_000;
/// Failed sign-ins, and passwords of links, are counted this long.
const SIGN_IN_WINDOW_MS: i64 = 15 * MINUTE_MS;

impl Limits {
    /// The window of an endpoint family, `None` when it is unlimited.
    pub fn endpoint(&self, endpoint: Endpoint, anonymous: bool) -> Option<Rate> {
        let max = match (endpoint, anonymous) {
            (
                Endpoint::Query
                | Endpoint::Mcp
                | Endpoint::Insights
                | Endpoint::Chats
                | Endpoint::Share,
                anonymous,
            ) => {
                if anonymous {
                    self.query_requests_anonymous
                } else {
                    self.query_requests
                }
            }
            (Endpoint::Console, _) => CONSOLE_PAGES,
            (Endpoint::Compile, false) => self.compile_requests,
            (Endpoint::Compile, true) => self.compile_requests_anonymous,
            (Endpoint::Track, _) | (Endpoint::Identify, false) => self.track_requests,
            // People are named once where events are many (60 where those have 600).
            (Endpoint::Identify, true) => self.track_requests.div_ceil(10),
            (Endpoint::Calls, _) => self.mcp_requests,
            (Endpoint::Flags, _) => self.flags_requests,
        };
        rate(Bucket::Endpoint(endpoint), max, MINUTE_MS)
    }

    /// The quota of a key: its own `(max, seconds)`, where `max` 0 takes `limits.key_requests`; `None` when rate
    /// limiting is off for it.
    pub fn key(&self, quota: Option<(u32, u32)>) -> Option<Rate> {
        let (own, seconds) = quota?;
        let (max, seconds) = self.quota(own, seconds);
        rate(Bucket::Key, max, i64::from(seconds) * 1_000)
    }

    /// The numbers that count for a key's own quota, where 0 takes the usual one.
    pub fn quota(&self, max: u32, seconds: u32) -> (u32, u32) {
        let usual = |own: u32, usual: u32| if own == 0 { usual } else { own };
        (usual(max, self.key_requests), usual(seconds, 60))
    }

    /// The window of unknown keys, of one address.
    pub fn key_failures(&self) -> Option<Rate> {
        rate(Bucket::Guess, self.key_failures, MINUTE_MS)
    }

    /// The windows of wrong passwords on one short link.
    pub fn link_password() -> LinkPassword {
        let window = |max| rate(Bucket::LinkPassword, max, SIGN_IN_WINDOW_MS);
        LinkPassword {
            address: window(10),
            all: window(100),
            first: window(3),
            all_first: window(1_000),
        }
    }

    /// The window of failed sign-ins of one address.
    pub fn sign_in() -> Option<Rate> {
        rate(Bucket::SignIn, 30, SIGN_IN_WINDOW_MS)
    }

    /// The window of wrong passwords or codes of one account.
    pub fn account() -> Option<Rate> {
        rate(Bucket::Account, 10, SIGN_IN_WINDOW_MS)
    }
}

/// The windows of wrong passwords on one short link. The first tries of each network are counted apart from all others, so
/// a few networks cannot use up what everybody shares.
#[derive(Debug, Clone, Copy)]
pub struct LinkPassword {
    /// Of one address.
    pub address: Option<Rate>,
    /// Of all addresses together, but for their first tries.
    pub all: Option<Rate>,
    /// What counts as first tries of one network.
    pub first: Option<Rate>,
    /// The first tries of all networks together.
    pub all_first: Option<Rate>,
}

fn rate(bucket: Bucket, max: u32, window_ms: i64) -> Option<Rate> {
    (max > 0).then_some(Rate {
        bucket,
        max,
        window_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_unlimited() {
        let limits = Limits {
            query_requests: 0,
            ..Limits::default()
        };
        assert_eq!(limits.endpoint(Endpoint::Query, false), None);
        assert_eq!(
            limits.endpoint(Endpoint::Query, true).map(|rate| rate.max),
            Some(60)
        );
    }

    #[test]
    fn people_are_named_a_tenth_as_often_as_events_come_and_by_keys_as_often() {
        let max = |track_requests, anonymous| {
            let limits = Limits {
                track_requests,
                ..Limits::default()
            };
            let rate = limits.endpoint(Endpoint::Identify, anonymous);
            rate.map(|rate| rate.max)
        };
        assert_eq!((max(600, false), max(600, true)), (Some(600), Some(60)));
        assert_eq!(max(1, true), Some(1));
        assert_eq!((max(0, false), max(0, true)), (None, None));
    }

    #[test]
    fn a_key_without_its_own_number_takes_the_default() {
        let limits = Limits::default();
        assert_eq!(limits.key(None), None);
        let rate = limits.key(Some((0, 0))).unwrap();
        assert_eq!((rate.max, rate.window_ms), (300, 60_000));
        let rate = limits.key(Some((5, 10))).unwrap();
        assert_eq!((rate.max, rate.window_ms), (5, 10_000));
    }

    #[test]
    fn guesses_are_counted_as_the_contract_says() {
        let said = |rate: Option<Rate>| rate.map(|rate| (rate.bucket, rate.max, rate.window_ms));
        let quarter = 15 * 60 * 1_000;
        assert_eq!(
            said(Limits::default().key_failures()),
            Some((Bucket::Guess, 600, 60_000))
        );
        assert_eq!(said(Limits::sign_in()), Some((Bucket::SignIn, 30, quarter)));
        assert_eq!(
            said(Limits::account()),
            Some((Bucket::Account, 10, quarter))
        );
        let link = Limits::link_password();
        assert_eq!(
            [link.address, link.all, link.first, link.all_first].map(said),
            [10, 100, 3, 1_000].map(|max| Some((Bucket::LinkPassword, max, quarter)))
        );
    }
}
