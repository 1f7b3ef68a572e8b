use super::{
    sources::{SOURCES, TABLE},
    *,
};

fn from(referrer: &str, utm: &Utm, click_id: Option<&str>) -> Attribution {
    attribute(&Arrival {
        referrer,
        utm,
        click_id,
        page_host: "shop.example.com",
        domain: "example.com",
    })
}

fn plain(referrer: &str) -> (String, String) {
    let found = from(referrer, &Utm::default(), None);
    (
        found.source.unwrap_or_default(),
        found.channel.unwrap_or_default(),
    )
}

fn pair(source: &str, channel: &str) -> (String, String) {
    (source.to_owned(), channel.to_owned())
}

#[test]
fn well_known_hosts_have_names() {
    assert_eq!(
        plain("https://www.google.co.uk/search"),
        pair("Google", "search")
    );
    assert_eq!(plain("https://www.google.com/"), pair("Google", "search"));
    assert_eq!(
        plain("https://mail.google.com/mail/u/0"),
        pair("Gmail", "email")
    );
    assert_eq!(plain("https://gemini.google.com/app"), pair("Gemini", "ai"));
    assert_eq!(plain("https://t.co/abc"), pair("X", "social"));
    assert_eq!(plain("https://chatgpt.com/"), pair("ChatGPT", "ai"));
    assert_eq!(
        plain("https://m.youtube.com/watch?v=1"),
        pair("YouTube", "video")
    );
    assert_eq!(
        plain("android-app://com.google.android.gm/"),
        pair("Gmail", "email")
    );
}

#[test]
fn lookalikes_are_ordinary_referrals() {
    assert_eq!(
        plain("https://google.evil.example/"),
        pair("evil.example", "referral")
    );
    assert_eq!(
        plain("https://notgoogle.com/"),
        pair("notgoogle.com", "referral")
    );
    assert_eq!(
        plain("https://google.github.io/x"),
        pair("google.github.io", "referral")
    );
    assert_eq!(
        plain("https://reddit.com.attacker.net/"),
        pair("attacker.net", "referral")
    );
}

#[test]
fn own_pages_are_no_source() {
    for own in [
        "https://example.com/a",
        "http://www.example.com",
        "https://blog.example.com:8443/b",
    ] {
        assert_eq!(
            from(own, &Utm::default(), Some("gclid")),
            Attribution::default(),
            "{own}"
        );
    }
}

#[test]
fn nothing_at_all_is_direct() {
    for none in ["", "direct", "garbage", "ftp://x.example/"] {
        assert_eq!(plain(none), pair("", "direct"), "{none}");
    }
}

#[test]
fn the_medium_of_a_campaign_decides() {
    let utm = |source: &str, medium: &str| Utm {
        source: (!source.is_empty()).then(|| source.to_owned()),
        medium: (!medium.is_empty()).then(|| medium.to_owned()),
        ..Utm::default()
    };
    let channel = |utm: &Utm, referrer: &str| {
        let found = from(referrer, utm, None);
        (
            found.source.unwrap_or_default(),
            found.channel.unwrap_or_default(),
        )
    };
    assert_eq!(channel(&utm("google", "cpc"), ""), pair("Google", "paid"));
    assert_eq!(
        channel(&utm("autumn", "email"), ""),
        pair("autumn", "email")
    );
    assert_eq!(
        channel(&utm("facebook", ""), ""),
        pair("Facebook", "social")
    );
    assert_eq!(channel(&utm("autumn", ""), ""), pair("autumn", "campaign"));
    assert_eq!(
        channel(&utm("", "paid_social"), "https://facebook.com/"),
        pair("Facebook", "paid")
    );
}

#[test]
fn click_ids_mark_paid_visits() {
    let found = from("https://www.google.com/", &Utm::default(), Some("gclid"));
    assert_eq!(found.channel.as_deref(), Some("paid"));
    assert_eq!(found.source.as_deref(), Some("Google"));
    let found = from("", &Utm::default(), Some("fbclid"));
    assert_eq!(found.channel.as_deref(), Some("social"));
}

#[test]
fn a_referrer_is_kept_without_scheme_query_and_www() {
    let found = from(
        "https://user:pw@www.news.example.org:8080/a/b/?q=1#x",
        &Utm::default(),
        None,
    );
    assert_eq!(found.referrer.as_deref(), Some("news.example.org/a/b"));
    assert_eq!(found.domain.as_deref(), Some("example.org"));
}

#[test]
fn the_table_is_sound() {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(SOURCES.len(), lines, "a host twice or a broken line");
    for (host, source) in SOURCES.iter() {
        assert!(!source.name.is_empty() && !host.is_empty());
        assert!(
            [
                "search", "social", "video", "ai", "email", "paid", "referral"
            ]
            .contains(&source.channel),
            "{host}: {}",
            source.channel
        );
    }
}

proptest::proptest! {
    #[test]
    fn any_referrer_is_survived(referrer in ".*", host in ".*") {
        let utm = Utm::default();
        attribute(&Arrival { referrer: &referrer, utm: &utm, click_id: None, page_host: &host, domain: &host });
    }
}
