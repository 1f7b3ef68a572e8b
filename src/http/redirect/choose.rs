//! Where a visitor is led (pure).
//!
//! In this order: a link that has ended leads to its own end or nowhere; agents that draw previews see the link's own
//! preview if it has one; a link with a password asks for it; then the device decides, then the country, then the language,
//! then the variants by weight, then the target, which opens an app on phones if the link says so. Nothing of the request is
//! part of any address but its query, where the link passes that on ([`forward`](super::forward)).

use std::{hash::Hasher, net::IpAddr};

use crate::{
    actors::links::{Record, RecordOptions},
    events::enrich::geo::Country,
};

/// What a request says about who wants to follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visitor<'a> {
    pub(super) now_ms: i64,
    /// Clicks that were counted so far, for links that end after some.
    pub(super) clicked: u64,
    pub(super) user_agent: &'a str,
    pub(super) languages: &'a str,
    pub(super) address: IpAddr,
    pub(super) is_preview: bool,
    /// Whether it says that it is no person.
    pub(super) is_bot: bool,
    /// Whether it has said the link's password lately.
    pub(super) has_pass: bool,
}

/// What becomes of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome<'a> {
    /// They are led here; the number is the address in `ETag`.
    To(&'a str, u64),
    /// The link has ended; where it leads since then.
    Ended(Option<&'a str>),
    /// They see the link's own preview.
    Preview,
    /// They are asked for the password.
    Locked,
    /// They are led to this address in an app, or to this one on the web.
    App(&'a str, &'a str),
}

pub(super) fn choose<'a>(
    record: &Record<'a>,
    visitor: &Visitor<'_>,
    country: impl FnOnce(IpAddr) -> Option<Country>,
) -> Outcome<'a> {
    let options = record.options.as_ref();
    let now = u64::try_from(visitor.now_ms).unwrap_or(0);
    let has_expired = record.expires_ms.is_some_and(|at| at <= now);
    let most = options.and_then(|options| options.max_clicks);
    if has_expired || most.is_some_and(|most| visitor.clicked >= most) {
        return Outcome::Ended(options.and_then(|options| options.expired));
    }
    let Some(options) = options else {
        return Outcome::To(record.target, record.tag);
    };
    if visitor.is_preview && options.has_preview {
        return Outcome::Preview;
    }
    if options.lock.is_some() && !visitor.has_pass {
        return Outcome::Locked;
    }
    let chosen = by_device(options, visitor.user_agent)
        .or_else(|| by_country(options, || country(visitor.address)))
        .or_else(|| by_language(options, visitor.languages))
        .or_else(|| by_weight(options, record, visitor));
    match (chosen, options.app) {
        (Some(url), _) => Outcome::To(url, etag(record, url)),
        (None, Some(app)) if is_phone(visitor.user_agent) && !visitor.is_bot => {
            Outcome::App(app, record.target)
        }
        (None, _) => Outcome::To(record.target, record.tag),
    }
}

/// The hash of an address that a link leads to.
pub(super) fn etag(record: &Record<'_>, url: &str) -> u64 {
    let mut hasher = Steady(record.tag);
    hasher.write(url.as_bytes());
    hasher.finish()
}

fn is_ios(user_agent: &str) -> bool {
    ["iPhone", "iPad", "iPod"]
        .iter()
        .any(|name| user_agent.contains(name))
}

fn is_phone(user_agent: &str) -> bool {
    is_ios(user_agent) || user_agent.contains("Android")
}

fn by_device<'a>(options: &RecordOptions<'a>, user_agent: &str) -> Option<&'a str> {
    if is_ios(user_agent) {
        options.ios
    } else if is_phone(user_agent) {
        options.android
    } else {
        None
    }
}

fn by_country<'a>(
    options: &RecordOptions<'a>,
    country: impl FnOnce() -> Option<Country>,
) -> Option<&'a str> {
    if options.countries.is_empty() {
        return None;
    }
    let country = country()?;
    let mut targets = options.countries.iter();
    let found = targets.find(|(code, _)| *code == country.as_str());
    found.map(|(_, url)| *url)
}

/// The first language that the visitor reads and the link knows; browsers name them in order.
fn by_language<'a>(options: &RecordOptions<'a>, languages: &str) -> Option<&'a str> {
    if options.languages.is_empty() {
        return None;
    }
    languages.split(',').find_map(|range| {
        let tag = range.split(';').next().unwrap_or_default().trim();
        let language = tag.split('-').next().unwrap_or_default();
        let mut targets = options.languages.iter();
        let found = targets.find(|(known, _)| known.eq_ignore_ascii_case(language));
        found.map(|(_, url)| *url)
    })
}

/// The same variant every time for the same browser at the same address.
fn by_weight<'a>(
    options: &RecordOptions<'a>,
    record: &Record<'_>,
    visitor: &Visitor<'_>,
) -> Option<&'a str> {
    let whole: u64 = options
        .variants
        .iter()
        .map(|(_, weight)| u64::from(*weight))
        .sum();
    if whole == 0 {
        return None;
    }
    let mut hasher = Steady(record.key().0 as u64);
    match visitor.address {
        IpAddr::V4(address) => hasher.write(&address.octets()),
        IpAddr::V6(address) => hasher.write(&address.octets()),
    }
    hasher.write(visitor.user_agent.as_bytes());
    let mut place = hasher.finish() % whole;
    options.variants.iter().find_map(|(url, weight)| {
        let here = place < u64::from(*weight);
        place = place.saturating_sub(u64::from(*weight));
        here.then_some(*url)
    })
}

/// A hash that every process gives alike (FNV-1a, stirred at the end).
struct Steady(u64);

impl Hasher for Steady {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        let mut mixed = self.0 ^ 0xcbf2_9ce4_8422_2325;
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        mixed ^ (mixed >> 33)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*, sample::select};

    use super::*;

    /// Some address, or none.
    fn url() -> impl Strategy<Value = Option<&'static str>> {
        let urls = vec![
            "https://a.example/",
            "https://b.example/",
            "https://c.example/",
        ];
        option::of(select(urls))
    }

    fn places(
        codes: &'static [&'static str],
    ) -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
        vec((select(codes), url()), 0..3).prop_map(|all| {
            let some = all.into_iter().filter_map(|(code, url)| Some((code, url?)));
            some.collect()
        })
    }

    fn options() -> impl Strategy<Value = RecordOptions<'static>> {
        let devices = (url(), url(), url());
        let variants = vec((url(), 1..100_u32), 0..4).prop_map(|all| {
            let some = all
                .into_iter()
                .filter_map(|(url, weight)| Some((url?, weight)));
            some.collect::<Vec<_>>()
        });
        let rest = (
            option::of(1..4_u64),
            any::<bool>(),
            any::<bool>(),
            option::of(1..3_u64),
        );
        let places = (places(&["US", "DE"]), places(&["en", "de"]));
        (devices, places, variants, rest).prop_map(|(devices, places, variants, rest)| {
            RecordOptions {
                expired: devices.0,
                ios: devices.1,
                android: devices.2,
                countries: places.0,
                languages: places.1,
                variants,
                max_clicks: rest.0,
                has_preview: rest.1,
                app: rest.2.then_some("app://place"),
                lock: rest.3,
                ..RecordOptions::default()
            }
        })
    }

    fn packed(options: Option<RecordOptions<'static>>, expires_ms: Option<u64>) -> Vec<u8> {
        use crate::{
            actors::links::testing,
            ids::{LinkId, OrganizationKey, WebsiteKey},
        };
        let target = "https://target.example/";
        let keys = (WebsiteKey(1), OrganizationKey(2));
        testing::packed(&LinkId::new(), keys, (target, expires_ms), options)
    }

    proptest! {
        /// Whatever a request says, it is led to an address of the link or nowhere; and the same again.
        #[test]
        fn nobody_is_led_elsewhere(
            options in option::of(options()), expires in option::of(0..10_u64), now_ms in 0..10_i64, clicked in 0..5_u64,
            agent in ".{0,20}|.{0,5}iPhone.{0,5}|.{0,5}Android.{0,5}", languages in "[a-z,;=-]{0,20}|.{0,20}",
            address in any::<[u8; 4]>(), (is_preview, is_bot, has_pass) in any::<(bool, bool, bool)>(), country in option::of(select(vec![*b"US", *b"DE", *b"FR"])),
        ) {
            let bytes = packed(options.clone(), expires);
            let record = Record::unpack(&bytes).unwrap();
            let visitor = Visitor {
                now_ms, clicked, user_agent: &agent, languages: &languages, address: address.into(), is_preview, is_bot, has_pass,
            };
            let ask = || choose(&record, &visitor, |_| country.and_then(Country::new));
            let outcome = ask();
            prop_assert_eq!(outcome, ask());
            let options = options.unwrap_or_default();
            let has_ended = expires.is_some_and(|at| at <= now_ms as u64)
                || options.max_clicks.is_some_and(|most| clicked >= most);
            match outcome {
                Outcome::Ended(to) => {
                    prop_assert!(has_ended);
                    prop_assert_eq!(to, options.expired);
                }
                Outcome::Preview => prop_assert!(!has_ended && is_preview && options.has_preview),
                Outcome::Locked => prop_assert!(!has_ended && options.lock.is_some() && !has_pass),
                Outcome::App(app, web) => {
                    prop_assert!(!has_ended && !is_bot && (options.lock.is_none() || has_pass));
                    prop_assert_eq!((Some(app), web), (options.app, record.target));
                }
                Outcome::To(to, _) => {
                    prop_assert!(!(has_ended || is_preview && options.has_preview));
                    prop_assert!(options.lock.is_none() || has_pass);
                    let mut own = vec![record.target];
                    own.extend(options.ios);
                    own.extend(options.android);
                    own.extend(options.countries.iter().map(|(_, url)| *url));
                    own.extend(options.languages.iter().map(|(_, url)| *url));
                    own.extend(options.variants.iter().map(|(url, _)| *url));
                    prop_assert!(own.contains(&to), "{} of {:?}", to, own);
                }
            }
        }
    }
}
