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

const HOSTS: &[(&str, &str, &str)] = &[
    (
        "https://google.com@evil.example/",
        "evil.example",
        "referral",
    ),
    (
        "https://evil.example\\@google.com/",
        "evil.example",
        "referral",
    ),
    (
        "https://evil.example/https://google.com/",
        "evil.example",
        "referral",
    ),
    (
        "https://evil.example?u=https://google.com/",
        "evil.example",
        "referral",
    ),
    (
        "https://evil.example#@google.com",
        "evil.example",
        "referral",
    ),
    (
        "https://google.com.evil.example/",
        "evil.example",
        "referral",
    ),
    ("https://google.evil.com/", "evil.com", "referral"),
    ("https://my-google.com/", "my-google.com", "referral"),
    ("https://googlecom.net/", "googlecom.net", "referral"),
    ("https://x.com.evil.example/", "evil.example", "referral"),
    ("https://notx.com/", "notx.com", "referral"),
    ("https://netflix.com/", "netflix.com", "referral"),
    (
        "https://chatgpt.com.evil.example/",
        "evil.example",
        "referral",
    ),
    ("https://fakechatgpt.com/", "fakechatgpt.com", "referral"),
    ("https://bing.com.example.net/", "example.net", "referral"),
    (
        "https://facebook.github.io/",
        "facebook.github.io",
        "referral",
    ),
    (
        "https://google.blogspot.com/",
        "google.blogspot.com",
        "referral",
    ),
    ("HTTPS://WWW.GOOGLE.COM./", "Google", "search"),
    ("https://www.google.com:443/", "Google", "search"),
    ("https://news.google.com/", "Google News", "referral"),
    ("https://www.google.com.br/", "Google", "search"),
    ("https://cn.bing.com/", "Bing", "search"),
    ("https://r.search.yahoo.com/", "Yahoo", "search"),
    ("https://yandex.com.tr/search", "Yandex", "search"),
    ("https://l.facebook.com/", "Facebook", "social"),
    ("https://de-de.facebook.com/", "Facebook", "social"),
    ("https://old.reddit.com/r/x", "Reddit", "social"),
    ("https://www.pinterest.de/", "Pinterest", "social"),
    ("https://www.perplexity.ai/search", "Perplexity", "ai"),
    ("https://claude.ai/", "Claude", "ai"),
    ("https://copilot.microsoft.com/", "Microsoft Copilot", "ai"),
    ("https://chat.deepseek.com/", "DeepSeek", "ai"),
    ("https://chat.mistral.ai/", "Mistral", "ai"),
    ("https://outlook.live.com/mail/", "Outlook", "email"),
    (
        "android-app://com.google.android.googlequicksearchbox/",
        "Google",
        "search",
    ),
    ("android-app://com.openai.chatgpt", "ChatGPT", "ai"),
    (
        "android-app://com.example.reader/",
        "com.example.reader",
        "referral",
    ),
    ("https://[2001:db8::1]:8080/x", "[2001:db8::1]", "referral"),
    ("http://203.0.113.7/x", "203.0.113.7", "referral"),
    ("https://www.com/", "www.com", "referral"),
    ("https://news.example.co.uk/a", "example.co.uk", "referral"),
];

#[test]
fn hosts_are_what_a_browser_would_go_to() {
    for (referrer, source, channel) in HOSTS {
        assert_eq!(plain(referrer), pair(source, channel), "{referrer}");
    }
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
fn click_ids_tell_what_referrers_hide() {
    let found = |referrer: &str, click: &str| {
        let found = from(referrer, &Utm::default(), Some(click));
        (
            found.source.unwrap_or_default(),
            found.channel.unwrap_or_default(),
        )
    };
    for (referrer, click, source, channel) in [
        ("https://www.google.com/", "gclid", "Google", "paid"),
        ("", "gclid", "Google", "paid"),
        ("", "wbraid", "Google", "paid"),
        ("https://www.bing.com/", "msclkid", "Bing", "paid"),
        ("https://partner.example/", "gclid", "Google", "paid"),
        ("https://www.youtube.com/", "gclid", "YouTube", "paid"),
        ("https://www.tiktok.com/", "ttclid", "TikTok", "paid"),
        ("https://t.co/x", "twclid", "X", "paid"),
        ("https://www.linkedin.com/", "li_fat_id", "LinkedIn", "paid"),
        // Facebook marks every link, paid or not.
        ("https://l.facebook.com/", "fbclid", "Facebook", "social"),
        ("", "fbclid", "Facebook", "social"),
        ("https://short.example/", "fbclid", "Facebook", "social"),
        ("https://www.reddit.com/", "fbclid", "Reddit", "social"),
        ("https://mail.google.com/", "mc_cid", "Gmail", "email"),
        ("https://lists.example/", "mc_cid", "Mailchimp", "email"),
        (
            "https://unknown.example/",
            "nonsense",
            "unknown.example",
            "referral",
        ),
        ("", "nonsense", "", "direct"),
    ] {
        assert_eq!(
            found(referrer, click),
            pair(source, channel),
            "{referrer} {click}"
        );
    }
}

/// Source and medium of the campaign, referrer, click id; what they come to.
type Campaign = (
    Option<&'static str>,
    Option<&'static str>,
    &'static str,
    Option<&'static str>,
    (&'static str, &'static str),
);

const CAMPAIGNS: &[Campaign] = &[
    (Some("google"), Some("cpc"), "", None, ("Google", "paid")),
    (
        Some("google"),
        Some("organic"),
        "",
        None,
        ("Google", "search"),
    ),
    (Some("google"), None, "", Some("gclid"), ("Google", "paid")),
    (
        Some("facebook"),
        Some("Paid_Social"),
        "https://l.facebook.com/",
        Some("fbclid"),
        ("Facebook", "paid"),
    ),
    (
        Some("facebook"),
        None,
        "",
        Some("fbclid"),
        ("Facebook", "social"),
    ),
    (Some("chatgpt.com"), None, "", None, ("ChatGPT", "ai")),
    (
        Some("weekly"),
        Some("newsletter"),
        "https://mail.google.com/",
        None,
        ("weekly", "email"),
    ),
    (None, Some("email"), "", None, ("email", "email")),
    (
        None,
        Some("Email "),
        "https://mail.google.com/",
        None,
        ("Gmail", "email"),
    ),
    (
        Some("partner"),
        Some("affiliate"),
        "https://partner.example/",
        None,
        ("partner", "affiliate"),
    ),
    (
        Some("spring"),
        Some("banner"),
        "",
        None,
        ("spring", "display"),
    ),
    (
        Some("spring"),
        Some("nonsense"),
        "https://www.google.com/",
        None,
        ("spring", "campaign"),
    ),
    (Some("notgoogle"), None, "", None, ("notgoogle", "campaign")),
];

#[test]
fn a_campaign_s_own_words_count_more_than_its_referrer() {
    let utm = |source: Option<&str>, medium: Option<&str>| Utm {
        source: source.map(str::to_owned),
        medium: medium.map(str::to_owned),
        ..Utm::default()
    };
    for (source, medium, referrer, click, expected) in CAMPAIGNS {
        let found = from(referrer, &utm(*source, *medium), *click);
        let found = (
            found.source.unwrap_or_default(),
            found.channel.unwrap_or_default(),
        );
        assert_eq!(
            found,
            pair(expected.0, expected.1),
            "{source:?} {medium:?} {referrer}"
        );
    }
}

#[test]
fn click_ids_are_found_in_a_query_whatever_their_spelling() {
    assert_eq!(find_click_id("a=1&fbclid=x&GCLID=y"), Some("gclid"));
    assert_eq!(find_click_id("ScCid=y"), Some("sccid"));
    assert_eq!(find_click_id("gclid=&notgclid=1&fbclid=x"), Some("fbclid"));
    assert_eq!(find_click_id(""), None);
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
    fn any_referrer_is_survived(referrer in "(https?://)?.{0,80}", host in ".*", query in ".*") {
        find_click_id(&query);
        let utm = Utm::default();
        attribute(&Arrival { referrer: &referrer, utm: &utm, click_id: None, page_host: &host, domain: &host });
    }
}
