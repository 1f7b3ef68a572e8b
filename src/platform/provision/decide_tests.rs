//! Every case of a decision.

use super::{
    ProvisionOptions,
    api::Existing,
    decide::{Decision, DeclarationState, decide},
    kinds,
};
use crate::actors::provisioned::{Name, Prints, Provisioned};

fn prints(said: &[(&str, &str)]) -> Prints {
    said.iter()
        .map(|(name, print)| ((*name).to_owned(), (*print).to_owned()))
        .collect()
}

fn row(resource: Option<&str>, declared: &Prints, applied: Option<&Prints>) -> Provisioned {
    Provisioned {
        name: Name {
            organization: "o".into(),
            kind: "monitors".to_owned(),
            name: "home".to_owned(),
        },
        resource: resource.map(str::to_owned),
        declared: declared.clone(),
        applied: applied.cloned(),
    }
}

const NOTHING: DeclarationState<'_> = DeclarationState {
    kind: kinds::MONITORS,
    declared: None,
    row: None,
    current: None,
    found: None,
    adopt: false,
    options: OPTIONS,
};
const OPTIONS: ProvisionOptions = ProvisionOptions {
    apply: true,
    force: false,
    keep: false,
};
const FORCE: ProvisionOptions = ProvisionOptions {
    force: true,
    ..OPTIONS
};

fn conflict(act: &Decision) -> &str {
    match act {
        Decision::Conflict(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_new_is_made_unless_its_name_is_taken() {
    let declared = prints(&[("url", "1")]);
    let new = DeclarationState {
        declared: Some(&declared),
        ..NOTHING
    };
    assert_eq!(decide(&new), Decision::Create);
    let hand = Existing::Own("7".to_owned());
    let taken = DeclarationState {
        found: Some(&hand),
        ..new
    };
    assert!(conflict(&decide(&taken)).contains("made by hand (id 7)"));
    let forced = DeclarationState {
        options: FORCE,
        ..taken
    };
    conflict(&decide(&forced));
    let adopted = DeclarationState {
        adopt: true,
        ..taken
    };
    assert_eq!(decide(&adopted), Decision::Adopt("7".to_owned()));
    let elsewhere = DeclarationState {
        found: Some(&Existing::Elsewhere),
        adopt: true,
        ..new
    };
    assert!(conflict(&decide(&elsewhere)).contains("another organization"));
}

#[test]
fn a_run_that_was_cut_off_is_picked_up() {
    let declared = prints(&[("kind", "1"), ("url", "1")]);
    let begun = row(None, &declared, None);
    let hand = Existing::Own("7".to_owned());
    let seen = DeclarationState {
        declared: Some(&declared),
        row: Some(&begun),
        ..NOTHING
    };
    assert_eq!(decide(&seen), Decision::Create, "it was not made");
    let made = DeclarationState {
        found: Some(&hand),
        ..seen
    };
    assert_eq!(
        decide(&made),
        Decision::Adopt("7".to_owned()),
        "it was, and is ours"
    );
    let changing = row(Some("7"), &declared, None);
    let other = prints(&[("kind", "1"), ("url", "9")]);
    let seen = DeclarationState {
        declared: Some(&declared),
        row: Some(&changing),
        current: Some(&other),
        ..NOTHING
    };
    let all = vec!["kind".to_owned(), "url".to_owned()];
    assert_eq!(decide(&seen), Decision::Update("7".to_owned(), all));
    let removed = DeclarationState {
        declared: None,
        row: Some(&begun),
        ..NOTHING
    };
    assert_eq!(decide(&removed), Decision::Forget);
}

#[test]
fn what_was_changed_by_hand_is_left_alone_unless_forced() {
    let (was, new) = (prints(&[("url", "1")]), prints(&[("url", "2")]));
    let (same, hand) = (prints(&[("url", "a")]), prints(&[("url", "b")]));
    let known = row(Some("7"), &was, Some(&same));
    let seen = DeclarationState {
        declared: Some(&was),
        row: Some(&known),
        current: Some(&same),
        ..NOTHING
    };
    assert_eq!(decide(&seen), Decision::Unchanged("7".to_owned()));
    let edited = DeclarationState {
        declared: Some(&new),
        ..seen
    };
    assert_eq!(
        decide(&edited),
        Decision::Update("7".to_owned(), vec!["url".to_owned()])
    );
    let drifted = DeclarationState {
        current: Some(&hand),
        ..edited
    };
    assert!(conflict(&decide(&drifted)).contains("changed by hand: url"));
    let forced = DeclarationState {
        options: FORCE,
        ..drifted
    };
    assert_eq!(
        decide(&forced),
        Decision::Update("7".to_owned(), vec!["url".to_owned()])
    );
    let deleted = DeclarationState {
        current: None,
        ..seen
    };
    assert!(conflict(&decide(&deleted)).contains("deleted by hand"));
    let again = DeclarationState {
        options: FORCE,
        ..deleted
    };
    assert_eq!(decide(&again), Decision::Create);
}

#[test]
fn what_is_taken_away_is_deleted_unless_it_is_somebodys_or_kept() {
    let (declared, same) = (prints(&[("url", "1")]), prints(&[("url", "a")]));
    let known = row(Some("7"), &declared, Some(&same));
    let seen = DeclarationState {
        row: Some(&known),
        current: Some(&same),
        ..NOTHING
    };
    assert_eq!(decide(&seen), Decision::Delete("7".to_owned()));
    let keep = ProvisionOptions {
        keep: true,
        ..OPTIONS
    };
    let kept = DeclarationState {
        options: keep,
        ..seen
    };
    assert_eq!(decide(&kept), Decision::Forget);
    let gone = DeclarationState {
        current: None,
        ..seen
    };
    assert_eq!(decide(&gone), Decision::Forget);
    let hand = prints(&[("url", "b")]);
    let edited = DeclarationState {
        current: Some(&hand),
        ..seen
    };
    assert!(conflict(&decide(&edited)).contains("changed by hand: url"));
    let forced = DeclarationState {
        options: FORCE,
        ..edited
    };
    assert_eq!(decide(&forced), Decision::Delete("7".to_owned()));
}

#[test]
fn what_cannot_be_changed_is_a_conflict_even_by_force() {
    let (was, new) = (prints(&[("kind", "1")]), prints(&[("kind", "2")]));
    let same = prints(&[("kind", "a")]);
    let known = row(Some("7"), &was, Some(&same));
    let seen = DeclarationState {
        declared: Some(&new),
        row: Some(&known),
        current: Some(&same),
        options: FORCE,
        ..NOTHING
    };
    assert!(conflict(&decide(&seen)).contains("`kind` cannot be changed"));
}
