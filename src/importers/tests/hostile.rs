use std::fmt::Write as _;

use super::{NOW, fixture, source};
use crate::importers::{
    ImportError, MAX_BYTES, MAX_ITEMS, Plan, Source, flags::FlagFormat, links::LinkFormat,
    monitors::MonitorFormat,
};

/// What every format says of a file.
fn every(bytes: &[u8]) -> Vec<Result<Plan, ImportError>> {
    let source = Source::new(bytes, NOW);
    let links = LinkFormat::ALL.iter().map(|one| one.read(&source));
    let monitors = MonitorFormat::ALL.iter().map(|one| one.read(&source));
    let flags = FlagFormat::ALL.iter().map(|one| one.read(&source));
    links.chain(monitors).chain(flags).collect()
}

/// Definitions in the largest plan of a file.
fn most_items(bytes: &[u8]) -> usize {
    let plans = every(bytes).into_iter().flatten();
    plans.map(|plan| plan.items.len()).max().unwrap_or_default()
}

fn message(bytes: &[u8]) -> String {
    LinkFormat::Shlink.read(&source(bytes)).unwrap_err().message
}

#[test]
fn wrong_encodings_and_empty_files_are_refused_with_the_reason() {
    for (bytes, expected) in [
        (&b""[..], "empty"),
        (b"\n \n", "empty"),
        (b"\xff\xfeh\0i\0", "UTF-16"),
        (b"a,b\n\xc3\x28,c\n", "line 2: The file isn't UTF-8"),
        (b"a,b\n1,2\n\0,2\n", "line 3: The file has NUL"),
        (b"{\"shortUrls\": {\"data\": [", "ends too early"),
        (b"{\"shortUrls\": 5}", "no list of definitions"),
        (b"[1, 2", "ends too early"),
        (b"[1 2]", "line 1, column 4: The file isn't JSON"),
        (b"shortCode,longUrl\nabc,\"https://a.exa", "isn't closed"),
        (
            b"shortCode,longUrl\nabc,https://a.example\nab",
            "line 3: has 1 cells, the first line has 2",
        ),
        (b"shortCode,longUrl\n", "no others"),
        (b"a,b\n1,2\n", "Is it an export of Shlink?"),
    ] {
        let told = message(bytes);
        assert!(told.contains(expected), "{told:?}, not {expected:?}");
        assert!(every(bytes).iter().all(Result::is_err), "{told}");
    }
    let marked = b"\xef\xbb\xbfshortCode,longUrl\nabc,https://a.example\n";
    assert_eq!(
        LinkFormat::Shlink
            .read(&source(marked))
            .unwrap()
            .items
            .len(),
        1
    );
}

#[test]
fn very_long_lines_large_files_and_many_definitions_are_refused() {
    let mut line = b"shortCode,longUrl\nabc,https://a.example/".to_vec();
    line.resize(10_000_000, b'a');
    assert!(message(&line).contains("at most"), "{}", message(&line));
    line.truncate(MAX_BYTES);
    assert!(
        message(&line).contains("line 2: has a cell of"),
        "{}",
        message(&line)
    );
    let mut many = "shortCode,longUrl\n".to_owned();
    for nth in 0..=MAX_ITEMS {
        let _ = writeln!(many, "s{nth},https://a.example");
    }
    assert!(message(many.as_bytes()).contains("split the file"));
    let many = format!("[{}0]", "0,".repeat(MAX_ITEMS));
    assert!(message(many.as_bytes()).contains("split the file"));
    let many = format!("[{}0]", "0,".repeat(600_000));
    assert!(message(many.as_bytes()).contains("more than 500000 values"));
}

#[test]
fn bombs_of_nesting_and_aliases_are_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(every(deep.as_bytes()).iter().all(Result::is_err));
    let deep = format!("endpoints: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(every(deep.as_bytes()).iter().all(Result::is_err));
    // Nine times nine times nine…
    let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g", "h", "i"]
        .into_iter()
        .zip("abcdefgh".chars())
    {
        let list = vec![format!("*{before}"); 9].join(",");
        let _ = writeln!(laughs, "{name}: &{name} [{list}]");
    }
    laughs.push_str("endpoints: *i\n");
    let refused = MonitorFormat::Gatus
        .read(&source(laughs.as_bytes()))
        .unwrap_err();
    assert!(
        refused.message.contains("isn't YAML that can be read"),
        "{refused}"
    );
}

#[test]
fn a_long_text_that_everything_refers_to_is_not_copied_for_all_of_it() {
    let long = "x".repeat(400_000);
    let rows = 12_000;
    let refer = |nth: usize| {
        format!(
            "{{\"id\":{nth},\"monitor_id\":0,\"tag_id\":1,\"group_id\":1,\"maintenance_id\":1}}"
        )
    };
    let many = (0..rows).map(refer).collect::<Vec<_>>().join(",");
    let monitors = (1..5_000)
        .map(|nth| format!("{{\"id\":{nth},\"type\":\"ping\",\"hostname\":\"h\",\"parent\":0}}"));
    let monitors = monitors.collect::<Vec<_>>().join(",");
    let tables = format!(
        "{{\"tables\":{{\"monitor\":[{{\"id\":0,\"type\":\"group\",\"name\":\"{long}\",\"parent\":0}},{monitors}],\
         \"tag\":[{{\"id\":1,\"name\":\"{long}\"}}],\"monitor_tag\":[{many}],\"monitor_group\":[{many}],\
         \"status_page\":[{{\"id\":1,\"slug\":\"{long}\"}}],\"group\":[{{\"id\":1,\"status_page_id\":1,\"name\":\"g\"}}]}}}}"
    );
    assert!(tables.len() <= MAX_BYTES);
    let plan = MonitorFormat::UptimeKuma
        .read(&source(tables.as_bytes()))
        .unwrap();
    assert!(plan.omissions.len() <= MAX_ITEMS);
    let mut yaml = format!("a: &a \"{}\"\nendpoints:\n", "x".repeat(100_000));
    for _ in 0..900 {
        yaml.push_str("  - {name: *a, url: *a}\n");
    }
    assert!(MonitorFormat::Gatus.read(&source(yaml.as_bytes())).is_err());
}

#[test]
fn a_file_that_is_cut_anywhere_ends_in_an_error_or_a_smaller_plan() {
    for bytes in [
        &fixture!("shlink.json")[..],
        fixture!("dub.json"),
        fixture!("unleash.json"),
        fixture!("growthbook.json"),
        fixture!("statuspage.json"),
        fixture!("kuma-backup.json"),
        fixture!("bitly.json"),
        fixture!("kutt.json"),
        fixture!("yourls.json"),
        fixture!("uptimerobot.json"),
        fixture!("flagsmith.json"),
        fixture!("growthbook-sdk.json"),
    ] {
        let end = bytes.trim_ascii_end().len();
        for length in 0..end {
            assert!(
                every(&bytes[..length]).iter().all(Result::is_err),
                "{length}"
            );
        }
    }
    for bytes in [
        &fixture!("gatus.yaml")[..],
        fixture!("bitly.csv"),
        fixture!("dub.csv"),
        fixture!("shlink.csv"),
        fixture!("yourls.csv"),
        fixture!("uptimerobot.csv"),
    ] {
        let whole = most_items(bytes);
        for length in 0..bytes.len() {
            assert!(most_items(&bytes[..length]) <= whole, "{length}");
        }
    }
}
