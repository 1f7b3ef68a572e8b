//! `tests/threats.csv` says which test proves the defence against which threat of `docs/threats.md`; this keeps it true.

use std::{collections::BTreeSet, fs, path::Path};

/// Threats with a test. T50, dependencies, is checked by `scripts/test`.
const BUILT: &[u8] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 51,
    52, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82,
    83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 96, 97, 98, 100, 101, 102, 103, 104, 110, 111,
    112, 113, 114,
];

#[test]
fn every_threat_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("tests/threats.csv")).unwrap();
    let mut proven = BTreeSet::new();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("threat,file,test"));
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [threat, file, test] = cells[..] else {
            panic!("three cells: {line}");
        };
        let text =
            fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("no file: {line}"));
        let head = format!("fn {test}(");
        let place = text
            .find(&head)
            .unwrap_or_else(|| panic!("no such test: {line}"));
        let before = &text[..place];
        let attributes = before.rsplit("\n\n").next().unwrap();
        let is_test = attributes.contains("test]") || text.contains("proptest! {");
        assert!(is_test, "no test: {line}");
        // T6b is separate from T6, which is about something else.
        if threat != "T6b" {
            proven.insert(threat[1..].parse::<u8>().unwrap());
        }
    }
    let mut built: BTreeSet<u8> = BUILT.iter().copied().collect();
    assert_eq!(proven, built);
    let page = fs::read_to_string(root.join("docs/threats.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| T"));
    let named = rows.filter_map(|row| row.split(' ').next()?.parse::<u8>().ok());
    built.insert(50);
    assert_eq!(named.collect::<BTreeSet<u8>>(), built);
}
