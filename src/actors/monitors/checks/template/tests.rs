use super::*;

fn values() -> Values {
    let pairs = [
        ("id", "7"),
        ("text", "a\"b&c/é"),
        ("evil", "1,\"admin\":true"),
    ];
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    pairs.map(owned).into()
}

#[test]
fn a_value_is_escaped_for_where_it_stands() {
    for (text, place, wanted) in [
        (
            "/a/{{id}}?q={{ text }}",
            Place::Url,
            "/a/7?q=a%22b%26c%2F%C3%A9",
        ),
        ("id={{text}}", Place::Url, "id=a%22b%26c%2F%C3%A9"),
        (
            "{\"a\":\"x{{text}}\"}",
            Place::Json,
            "{\"a\":\"xa\\\"b&c/é\"}",
        ),
        ("{\"a\":{{id}}}", Place::Json, "{\"a\":7}"),
        (
            "{\"a\":{{evil}}}",
            Place::Json,
            "{\"a\":\"1,\\\"admin\\\":true\"}",
        ),
        (
            "{\"\\\"\":\"{{evil}}\"}",
            Place::Json,
            "{\"\\\"\":\"1,\\\"admin\\\":true\"}",
        ),
        ("<a>{{text}}</a>", Place::Xml, "<a>a&quot;b&amp;c/é</a>"),
        ("Bearer {{id}}", Place::Plain, "Bearer 7"),
        ("{{}} {{a b}} {{id", Place::Plain, "{{}} {{a b}} {{id"),
        ("{{{id}}}", Place::Plain, "{7}"),
    ] {
        assert_eq!(
            fill(text, &values(), place).as_deref(),
            Ok(wanted),
            "{text}"
        );
    }
    assert_eq!(
        fill("{{id}}{{gone}}", &values(), Place::Plain),
        Err("gone".to_owned())
    );
    let used: Vec<&str> = names("{{a}} {{ b_1 }} {{c d}} {{e}}").collect();
    assert_eq!(used, ["a", "b_1", "e"]);
}

#[test]
fn no_value_decides_where_a_url_leads() {
    let base = Url::parse("http://shop.example/a/").unwrap();
    let mut values = values();
    values.insert("host".to_owned(), "evil.example".to_owned());
    for (text, leads) in [
        ("b?c={{id}}", Some("http://shop.example/a/b?c=7")),
        ("", Some("http://shop.example/a/")),
        ("/{{text}}", Some("http://shop.example/a%22b%26c%2F%C3%A9")),
        ("https://api.example/{{id}}", Some("https://api.example/7")),
        ("{{host}}", Some("http://shop.example/a/evil.example")),
        ("https://{{host}}/", None),
        ("https://{{id}}.example/", None),
        ("https:{{host}}", None),
        ("//{{host}}/", None),
        ("\\\\{{host}}/", None),
        ("https://{{id}}@shop.example/", None),
        ("ftp://shop.example/", None),
        ("/{{gone}}", None),
    ] {
        let joined = join(&base, text, &values).ok();
        assert_eq!(joined.as_ref().map(Url::as_str), leads, "{text}");
    }
}

#[test]
fn the_place_follows_the_media_type() {
    for (media, body, place) in [
        ("application/json; charset=utf-8", "", Place::Json),
        ("application/problem+json", "", Place::Json),
        ("", "{\"a\":1}", Place::Json),
        ("", "a=1", Place::Plain),
        ("application/x-www-form-urlencoded", "{", Place::Url),
        ("text/xml", "", Place::Xml),
        ("text/plain", "{}", Place::Plain),
    ] {
        assert_eq!(Place::of_body(media, body), place, "{media} {body}");
    }
}

#[test]
fn values_are_found_in_bodies_and_headers() {
    let mut headers = HeaderMap::new();
    headers.append("set-cookie", "theme=dark".parse().unwrap());
    headers.append("set-cookie", "session=s1; Path=/".parse().unwrap());
    headers.append("location", "/next".parse().unwrap());
    let body = br#"{"token":"t1","items":[{"id":5}],"all":{}}"#;
    for (source, found) in [
        ("$.token", Some("t1")),
        ("$.items[0].id", Some("5")),
        ("$.all", None),
        ("$.none", None),
        ("header:Location", Some("/next")),
        ("header:Set-Cookie:session=([^;]+)", Some("s1")),
        ("header:X-None", None),
        ("\"id\":(\\d+)", Some("5")),
        ("tok.n", Some("token")),
        ("nothing", None),
    ] {
        let parsed = Source::parse(source).unwrap();
        assert_eq!(parsed.find(&headers, body).as_deref(), found, "{source}");
    }
    let long = format!("{{\"token\":\"{}\"}}", "x".repeat(MAX_VALUE + 1));
    let token = Source::parse("$.token").unwrap();
    assert_eq!(token.find(&headers, long.as_bytes()), None);
    for wrong in ["$a", "header:", "header:a b", "(", "header:a:("] {
        assert!(Source::parse(wrong).is_err(), "{wrong}");
    }
}
