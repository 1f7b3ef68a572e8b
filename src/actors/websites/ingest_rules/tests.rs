use super::*;

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

fn ingest_rules(domain: &str, origins: &[&str]) -> IngestRules {
    let settings = WebsiteSettings {
        allowed_origins: list(origins),
        ..WebsiteSettings::default()
    };
    IngestRules::compile(domain, &settings)
}

fn with(settings: &WebsiteSettings) -> IngestRules {
    IngestRules::compile("example.com", settings)
}

#[test]
fn a_website_takes_its_own_pages() {
    let ingest_rules = ingest_rules("www.example.com", &[]);
    for own in [
        "https://example.com",
        "http://www.example.com:8080",
        "https://shop.EXAMPLE.com",
        "https://a.www.example.com",
    ] {
        assert_eq!(ingest_rules.admits(Some(own), None), Ok(()), "{own}");
    }
    for foreign in [
        "https://badexample.com",
        "https://example.com.evil.net",
        "https://example.comx",
        "null",
        "https://",
        "https://:80",
        "https://example.com:http",
        "example.com",
        "",
    ] {
        assert_eq!(
            ingest_rules.admits(Some(foreign), None),
            Err(DenyReason::Origin),
            "{foreign}"
        );
    }
    assert_eq!(ingest_rules.admits(None, None), Ok(()), "no origin");
}

#[test]
fn names_in_other_scripts_are_compared_as_browsers_write_them() {
    let ingest_rules = ingest_rules("bücher.example", &["*.straße.example"]);
    assert_eq!(
        ingest_rules.admits(Some("https://xn--bcher-kva.example"), None),
        Ok(())
    );
    assert_eq!(
        ingest_rules.admits(Some("https://a.xn--strae-oqa.example"), None),
        Ok(())
    );
    assert_eq!(
        ingest_rules.admits(Some("https://bucher.example"), None),
        Err(DenyReason::Origin)
    );
}

#[test]
fn a_local_website_takes_local_pages_however_they_are_spelled() {
    let ingest_rules = ingest_rules("localhost:3000", &[]);
    for own in [
        "http://localhost:5173",
        "http://127.0.0.1:3000",
        "http://[::1]:80",
        "http://app.localhost",
    ] {
        assert_eq!(ingest_rules.admits(Some(own), None), Ok(()), "{own}");
    }
    for foreign in [
        "http://127.0.0.2",
        "http://localhost.example",
        "https://example.com",
    ] {
        assert_eq!(
            ingest_rules.admits(Some(foreign), None),
            Err(DenyReason::Origin),
            "{foreign}"
        );
    }
    assert_eq!(
        super::IngestRules::default().admits(Some("http://x.example"), None),
        Err(DenyReason::Origin)
    );
}

#[test]
fn listed_origins_are_taken_too_and_make_an_origin_necessary() {
    let listed = [
        "https://partner.example/",
        "*.preview.dev",
        "localhost:3000",
        "http://safe.example:443",
    ];
    let ingest_rules = ingest_rules("example.com", &listed);
    for good in [
        "https://example.com",
        "https://partner.example",
        "http://partner.example:8080",
        "https://a.b.preview.dev",
        "http://localhost:3000",
        "http://127.0.0.1:3000",
        "https://safe.example",
    ] {
        assert_eq!(ingest_rules.admits(Some(good), None), Ok(()), "{good}");
    }
    for bad in [
        "https://x.partner.example",
        "https://preview.dev",
        "https://evilpreview.dev",
        "http://localhost:3001",
        "http://safe.example",
        "null",
    ] {
        assert_eq!(
            ingest_rules.admits(Some(bad), None),
            Err(DenyReason::Origin),
            "{bad}"
        );
    }
    assert_eq!(
        ingest_rules.admits(None, None),
        Err(DenyReason::OriginMissing)
    );
    let any = self::ingest_rules("example.com", &["*"]);
    assert_eq!(any.admits(Some("https://anyone.example"), None), Ok(()));
    assert_eq!(any.admits(Some("null"), None), Err(DenyReason::Origin));
    assert_eq!(any.admits(None, None), Err(DenyReason::OriginMissing));
}

#[test]
fn addresses_are_compared_alone_or_as_networks() {
    let ingest_rules = with(&WebsiteSettings {
        allowed_ips: list(&["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"]),
        ..WebsiteSettings::default()
    });
    let admits = |address: &str| ingest_rules.admits(None, Some(address.parse().unwrap()));
    for good in [
        "192.0.2.7",
        "::ffff:192.0.2.7",
        "10.0.0.0",
        "10.255.255.255",
        "2001:db8::1",
    ] {
        assert_eq!(admits(good), Ok(()), "{good}");
    }
    for bad in [
        "192.0.2.6",
        "192.0.2.8",
        "9.255.255.255",
        "11.0.0.0",
        "2001:db9::",
        "::1",
    ] {
        assert_eq!(admits(bad), Err(DenyReason::Address), "{bad}");
    }
    assert_eq!(
        ingest_rules.admits(None, None),
        Err(DenyReason::Address),
        "unknown"
    );
    assert_eq!(
        ingest_rules.admits(Some("https://x.example"), None),
        Err(DenyReason::Origin),
        "the origin is looked at first"
    );
}

/// A page that no rule below means.
const PAGE: EventFacts<'static> = EventFacts {
    address: None,
    country: Some("FR"),
    host: Some("example.com"),
    path: "/",
};

fn choosy() -> IngestRules {
    with(&WebsiteSettings {
        excluded_ips: list(&["203.0.113.0/24"]),
        excluded_countries: list(&["DE"]),
        excluded_paths: list(&["/admin", "/preview/*", "*/draft", "/a*b*c"]),
        excluded_hosts: list(&["staging.example.com", "*.dev.example.com", "localhost"]),
        ..WebsiteSettings::default()
    })
}

#[test]
fn visitors_are_left_out_by_address_and_country() {
    let ingest_rules = choosy();
    assert!(ingest_rules.has_exclusions());
    assert!(!with(&WebsiteSettings::default()).has_exclusions());
    let from = |address: &str| {
        ingest_rules.leaves_out(&EventFacts {
            address: Some(address.parse().unwrap()),
            ..PAGE
        })
    };
    for own in ["203.0.113.0", "203.0.113.255", "::ffff:203.0.113.1"] {
        assert_eq!(from(own), Some(Exclusion::Address), "{own}");
    }
    for other in ["203.0.112.255", "203.0.114.0", "2001:db8::1"] {
        assert_eq!(from(other), None, "{other}");
    }
    let german = EventFacts {
        country: Some("DE"),
        ..PAGE
    };
    assert_eq!(ingest_rules.leaves_out(&german), Some(Exclusion::Country));
    assert_eq!(ingest_rules.leaves_out(&PAGE), None);
    assert_eq!(ingest_rules.leaves_out(&EventFacts::default()), None);
}

#[test]
fn pages_are_left_out_by_host_and_path() {
    let ingest_rules = choosy();
    for (host, out) in [
        ("staging.example.com", true),
        ("a.staging.example.com", false),
        ("x.dev.example.com", true),
        ("dev.example.com", false),
        ("127.0.0.1", true),
    ] {
        let host = EventFacts {
            host: Some(host),
            ..PAGE
        };
        let expected = out.then_some(Exclusion::Host);
        assert_eq!(ingest_rules.leaves_out(&host), expected, "{host:?}");
    }
    for (path, out) in [
        ("/admin", true),
        ("/admin/users", false),
        ("/administrator", false),
        ("/preview", true),
        ("/preview/1/2", true),
        ("/previews", false),
        ("/posts/7/draft", true),
        ("/draft", true),
        ("/drafts", false),
        ("/abc", true),
        ("/a-b-c", true),
        ("/ac", false),
        ("/abcd", false),
        ("", false),
    ] {
        let path = EventFacts { path, ..PAGE };
        let expected = out.then_some(Exclusion::Path);
        assert_eq!(ingest_rules.leaves_out(&path), expected, "{path:?}");
    }
}

#[test]
fn the_root_is_a_path_and_so_is_everything() {
    let paths = |entry: &str| {
        with(&WebsiteSettings {
            excluded_paths: list(&[entry]),
            ..WebsiteSettings::default()
        })
    };
    let out = |ingest_rules: &IngestRules, path| {
        ingest_rules
            .leaves_out(&EventFacts {
                path,
                ..EventFacts::default()
            })
            .is_some()
    };
    assert!(out(&paths("/"), "/") && !out(&paths("/"), "/a"));
    assert!(out(&paths("/a/"), "/a"), "a final slash does not count");
    assert!(out(&paths("/*"), "/") && out(&paths("/*"), "/a") && out(&paths("*"), "/a"));
}
