use super::*;

fn policy() -> Policy {
    Policy {
        blocked_ports: vec![22],
        ..Policy::default()
    }
}

#[test]
fn targets_are_stored_in_one_form() {
    for (kind, text, stored) in [
        (Kind::Http, "example.com", "https://example.com/"),
        (Kind::Browser, "example.com", "https://example.com/"),
        (
            Kind::Http,
            " HTTP://Example.com:80/a?b#c ",
            "http://example.com/a?b",
        ),
        (
            Kind::Http,
            "example.com:8443/x",
            "https://example.com:8443/x",
        ),
        (
            Kind::Http,
            "https://münchen.example/",
            "https://xn--mnchen-3ya.example/",
        ),
        (
            Kind::Tcp,
            "db.example.com:5433",
            "tcp://db.example.com:5433",
        ),
        (Kind::Tcp, "tcp://example.com:80", "tcp://example.com:80"),
        (
            Kind::Tcp,
            "[2606:4700::1111]:80",
            "tcp://[2606:4700::1111]:80",
        ),
        (Kind::Tls, "example.com", "tls://example.com:443"),
        (
            Kind::Tls,
            "https://example.com:8443/",
            "tls://example.com:8443",
        ),
        (Kind::Dns, "_dmarc.Example.com.", "dns://_dmarc.example.com"),
        (Kind::Ping, "example.com", "ping://example.com"),
        (Kind::Push, "", ""),
    ] {
        assert_eq!(
            canonical(kind, text, &policy()),
            Ok(stored.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn targets_with_a_scheme_of_their_own_have_their_usual_port() {
    for (kind, text, stored) in [
        (Kind::Redis, "example.com", "redis://example.com:6379"),
        (
            Kind::Redis,
            "REDISS://Example.com:7000/3",
            "rediss://example.com:7000/3",
        ),
        (
            Kind::Postgresql,
            "postgres://db.example.com/shop/",
            "postgresql://db.example.com:5432/shop",
        ),
        (Kind::Mysql, "example.com:80", "mysql://example.com:80"),
        (Kind::Smtp, "smtps://example.com", "smtps://example.com:465"),
        (
            Kind::Rabbitmq,
            "amqps://[2606:4700::1111]/%2f",
            "amqps://[2606:4700::1111]:5671/%2f",
        ),
        (
            Kind::Websocket,
            "example.com/live",
            "wss://example.com/live",
        ),
        (
            Kind::Websocket,
            "ws://example.com:80#a",
            "ws://example.com/",
        ),
        (Kind::Grpc, "example.com", "grpcs://example.com:443"),
        (
            Kind::Grpc,
            "grpc://Example.com:50051/a.v1.B/",
            "grpc://example.com:50051/a.v1.B",
        ),
        (
            Kind::Grpc,
            "[2606:4700::1111]:80",
            "grpcs://[2606:4700::1111]:80",
        ),
        (Kind::Domain, "www.Example.co.uk", "domain://example.co.uk"),
        (Kind::Domain, "domain://example.com", "domain://example.com"),
        (Kind::Domain, "shop.github.io", "domain://github.io"),
        (Kind::Dnssec, "www.example.com.", "dnssec://www.example.com"),
        (Kind::Ntp, "time.example.com", "ntp://time.example.com:123"),
        (Kind::Snmp, "example.com", "snmp://example.com:161"),
        (
            Kind::Snmp,
            "snmp://example.com:1161/.1.3.6.1",
            "snmp://example.com:1161/1.3.6.1",
        ),
        (Kind::Game, "example.com", "a2s://example.com:27015"),
        (Kind::Game, "a2s://example.com:1", "a2s://example.com:1"),
    ] {
        for text in [text, stored] {
            let made = canonical(kind, text, &policy());
            assert_eq!(made, Ok(stored.to_owned()), "{text}");
        }
    }
}

#[test]
fn what_is_no_target_is_refused() {
    for (kind, text) in [
        (Kind::Http, ""),
        (Kind::Http, "ftp://example.com"),
        (Kind::Http, "file:///etc/passwd"),
        (Kind::Http, "https://user:secret@example.com/"),
        (Kind::Http, "https://example.com:22/"),
        (Kind::Http, "http://127.1/"),
        (Kind::Http, "http://2130706433/"),
        (Kind::Http, "http://[::1]/"),
        (Kind::Http, "localhost:3000"),
        (Kind::Http, "https://nas.local/"),
        (Kind::Tcp, "example.com"),
        (Kind::Tcp, "10.0.0.1:80"),
        (Kind::Tcp, "0x7f000001:80"),
        (Kind::Tcp, "example.com:80/x"),
        (Kind::Tcp, "a@example.com:80"),
        (Kind::Tls, "example.com:0"),
        (Kind::Dns, "8.8.8.8"),
        (Kind::Dns, "a..example.com"),
        (Kind::Dns, "db.internal"),
        (Kind::Ping, "example.com:80001"),
        (Kind::Ping, "example.com:8080"),
        (Kind::Push, "https://example.com"),
        (Kind::Redis, "https://example.com"),
        (Kind::Redis, "redis://example.com/a"),
        (Kind::Redis, "redis://10.0.0.1"),
        (Kind::Mysql, "mysql://ada:secret@example.com"),
        (Kind::Mysql, "mysql://example.com/a/b"),
        (Kind::Postgresql, "postgresql://example.com/a?sslmode=off"),
        (Kind::Kafka, "kafka://example.com/topic"),
        (Kind::Ssh, "example.com"),
        (Kind::Mqtt, "mqtt://0x7f000001"),
        (Kind::Websocket, "https://example.com/"),
        (Kind::Websocket, "wss://user@example.com/"),
        (Kind::Websocket, "ws://127.0.0.1/"),
        (Kind::Grpc, "grpc://example.com"),
        (Kind::Grpc, "example.com/a b"),
        (Kind::Grpc, "example.com:22"),
        (Kind::Domain, "co.uk"),
        (Kind::Domain, "8.8.8.8"),
        (Kind::Dnssec, "10.0.0.1"),
        (Kind::Snmp, "example.com/sysUpTime"),
        (Kind::Snmp, "example.com/1"),
        (Kind::Snmp, "10.0.0.1"),
        (Kind::Ntp, "example.com/a"),
        (Kind::Game, "127.0.0.1"),
    ] {
        assert!(canonical(kind, text, &policy()).is_err(), "{text}");
    }
}

#[test]
fn stored_targets_read_back() {
    let url = parse_authority("tcp://example.com:80").unwrap();
    assert_eq!(url.host_str(), Some("example.com"));
    assert_eq!(url.port_or_known_default(), Some(80));
    let url = parse_authority("mysql://example.com:3306/shop").unwrap();
    assert_eq!(
        (url.host_str(), url.port()),
        (Some("example.com"), Some(3306))
    );
    assert_eq!(
        segment("amqp://example.com:5672/a%2Fb%2"),
        Some("a/b%2".to_owned())
    );
    assert_eq!(segment("amqp://example.com:5672"), None);
    let scheme = find_scheme(Kind::Redis, "rediss://example.com:1");
    assert!(scheme.is_some_and(|scheme| scheme.is_tls));
    assert!(find_scheme(Kind::Tcp, "tcp://example.com:1").is_none());
}
