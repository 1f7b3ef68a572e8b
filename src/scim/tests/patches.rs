//! Patches of the specification, of Okta and of Entra ID.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::scim::{Kind, Patch, ScimError};

fn patched(kind: Kind, before: &Value, operations: &Value) -> Result<Value, ScimError> {
    let body = json!({ "Operations": operations });
    let patch = Patch::read(body.as_object().unwrap())?;
    let mut fields = before.as_object().unwrap().clone();
    patch.apply(kind, &mut fields)?;
    Ok(Value::Object(fields))
}

fn user() -> Value {
    json!({ "userName": "a", "emails": [{ "value": "w@x", "type": "work" }, { "value": "h@x", "type": "home" }] })
}

fn group() -> Value {
    json!({ "displayName": "g", "members": [{ "value": "1" }, { "value": "2" }] })
}

#[test]
fn each_operation_of_the_specification_changes_what_its_path_names() {
    let (user, group) = (user(), group());
    for (kind, before, operations, after) in [
        (
            Kind::Group,
            &group,
            json!([{ "op": "add", "path": "members", "value": [{ "display": "B", "value": "3" }] }]),
            json!({ "displayName": "g", "members": [{ "value": "1" }, { "value": "2" }, { "display": "B", "value": "3" }] }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "add", "value": { "emails": [{ "value": "b@x", "type": "home" }], "displayName": "B" } }]),
            json!({ "userName": "a", "displayName": "B", "emails": [
                { "value": "w@x", "type": "work" }, { "value": "h@x", "type": "home" }, { "value": "b@x", "type": "home" },
            ] }),
        ),
        (
            Kind::Group,
            &group,
            json!([{ "op": "remove", "path": "members[value eq \"1\"]" }]),
            json!({ "displayName": "g", "members": [{ "value": "2" }] }),
        ),
        (
            Kind::Group,
            &group,
            json!([{ "op": "remove", "path": "members" }]),
            json!({ "displayName": "g" }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "remove", "path": "emails[type eq \"work\" and value ew \"x\"]" }]),
            json!({ "userName": "a", "emails": [{ "value": "h@x", "type": "home" }] }),
        ),
        (
            Kind::Group,
            &group,
            json!([{ "op": "replace", "path": "members", "value": [{ "value": "9" }] }]),
            json!({ "displayName": "g", "members": [{ "value": "9" }] }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "n@x" }]),
            json!({ "userName": "a", "emails": [{ "value": "n@x", "type": "work" }, { "value": "h@x", "type": "home" }] }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "replace", "path": "emails[type eq \"work\"]", "value": { "value": "n@x", "primary": true } }]),
            json!({ "userName": "a", "emails": [{ "value": "n@x", "type": "work", "primary": true }, { "value": "h@x", "type": "home" }] }),
        ),
    ] {
        assert_eq!(
            patched(kind, before, &operations).unwrap(),
            after,
            "{operations}"
        );
    }
}

#[test]
fn what_entra_id_and_okta_write_is_understood() {
    let (user, group) = (user(), group());
    for (kind, before, operations, after) in [
        // Entra ID: capitals, paths as names, lists to remove, elements that are not there yet.
        (
            Kind::User,
            &user,
            json!([{ "op": "Add", "path": "emails[type eq \"other\"].value", "value": "o@x" }]),
            json!({ "userName": "a", "emails": [
                { "value": "w@x", "type": "work" }, { "value": "h@x", "type": "home" }, { "type": "other", "value": "o@x" },
            ] }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "Replace", "path": "active", "value": "False" }]),
            json!({ "userName": "a", "active": "False", "emails": user["emails"] }),
        ),
        (
            Kind::User,
            &user,
            json!([{ "op": "Add", "value": { "name.familyName": "F", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "D" } }]),
            json!({ "userName": "a", "name": { "familyName": "F" }, "emails": user["emails"] }),
        ),
        (
            Kind::Group,
            &group,
            json!([{ "op": "Remove", "path": "members", "value": [{ "value": "2" }] }]),
            json!({ "displayName": "g", "members": [{ "value": "1" }] }),
        ),
        // Okta: an object without a path, with an ID that does not change.
        (
            Kind::User,
            &user,
            json!([{ "op": "replace", "value": { "active": false } }]),
            json!({ "userName": "a", "active": false, "emails": user["emails"] }),
        ),
        (
            Kind::Group,
            &group,
            json!([{ "op": "replace", "value": { "id": "x", "displayName": "h" } }]),
            json!({ "displayName": "h", "members": group["members"] }),
        ),
        // What a resource does not have is left out.
        (
            Kind::User,
            &user,
            json!([{ "op": "add", "path": "title", "value": "T" }, { "op": "remove", "path": "emails.street" }]),
            user.clone(),
        ),
    ] {
        assert_eq!(
            patched(kind, before, &operations).unwrap(),
            after,
            "{operations}"
        );
    }
}

#[test]
fn what_cannot_be_done_has_its_keyword() {
    let user = json!({ "userName": "a" });
    for (operation, keyword) in [
        (json!({ "op": "move", "path": "userName" }), "invalidSyntax"),
        (json!("add"), "invalidSyntax"),
        (json!({ "op": "remove" }), "noTarget"),
        (json!({ "op": "add", "value": "x" }), "invalidValue"),
        (
            json!({ "op": "add", "path": "emails[type eq", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "add", "path": "userName[a pr]", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "add", "path": "a b", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "x" }),
            "noTarget",
        ),
        (
            json!({ "op": "replace", "path": "id", "value": "x" }),
            "mutability",
        ),
        (
            json!({ "op": "remove", "path": "meta.created" }),
            "mutability",
        ),
        (
            json!({ "op": "add", "path": "groups", "value": [] }),
            "mutability",
        ),
    ] {
        let error = patched(Kind::User, &user, &json!([operation])).unwrap_err();
        assert_eq!(error.keyword(), keyword, "{operation}: {error}");
    }
    assert!(Patch::read(&Map::new()).is_err());
}

proptest! {
    #[test]
    fn any_path_changes_a_resource_or_is_refused(
        verb in proptest::sample::select(&["add", "replace", "remove", "x"][..]),
        path in r#"(emails|members|name|active|\[|\]|\.|type|value| eq | pr|"work"|[a-z" ]){0,8}"#,
        value in proptest::sample::select(vec![json!(null), json!("x"), json!([]), json!([{ "value": "1" }, 3]), json!({ "value": {} })]),
    ) {
        let user = json!({ "userName": "a", "emails": [{ "type": "work" }, 7] });
        let operations = json!([{ "op": verb, "path": path, "value": value }]);
        for kind in [Kind::User, Kind::Group] {
            let _ = patched(kind, &user, &operations);
        }
    }
}
