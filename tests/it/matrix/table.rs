//! What every procedure needs, typed by hand: the program is asked against `tests/procedures.csv`, not against its own table.

use std::collections::BTreeMap;

use pharos::http::procedures::{self, Needs, Procedure};

/// What a procedure declares, in the words of the table.
fn declared(procedure: &Procedure) -> (String, String) {
    let needs = match procedure.needs {
        Needs::Permission(permission) => {
            let (thing, right) = permission.words();
            format!("{thing} {right}")
        }
        Needs::Session => "session".to_owned(),
        Needs::Nothing => "anybody".to_owned(),
    };
    let scope = procedure.needs.scope();
    let scope = scope.map_or("none", |scope| scope.as_str());
    (needs, scope.to_owned())
}

#[test]
fn every_procedure_needs_what_was_decided_by_hand() {
    let table = include_str!("../../procedures.csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let head: Vec<&str> = reader.headers().unwrap().iter().collect();
    assert_eq!(head, ["procedure", "needs", "scope"]);
    let mut decided = BTreeMap::new();
    for row in reader.records() {
        let row = row.unwrap();
        let needs = (row[1].to_owned(), row[2].to_owned());
        let before = decided.insert(row[0].to_owned(), needs);
        assert_eq!(before, None, "{} is there twice", &row[0]);
    }
    let declared: BTreeMap<String, _> = procedures::all()
        .iter()
        .map(|one| (format!("{}/{}", one.group, one.name), declared(one)))
        .collect();
    for (name, needs) in &declared {
        let decided = decided.get(name);
        assert_eq!(
            decided,
            Some(needs),
            "{name}: nothing was decided, or something else"
        );
    }
    let gone: Vec<_> = decided
        .keys()
        .filter(|name| !declared.contains_key(*name))
        .collect();
    assert!(gone.is_empty(), "there are no such procedures: {gone:?}");
}
