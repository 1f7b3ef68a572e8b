//! What identity providers send.

use pharos::scim::{
    AttributePath, Filter, GroupAttributes, Kind, Patch, Projection, ScimError, UserAttributes,
    matches,
};
use serde_json::{Map, Value};

/// A request of a provider in one object: what a resource is, by which filter it is looked for, what is changed, and
/// which attributes the answer has. Bytes that are no such object are a filter and a list of attributes.
pub fn scim(bytes: &[u8]) {
    let request: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
    let plain = String::from_utf8_lossy(bytes);
    let text = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or(&plain);
    for kind in [Kind::User, Kind::Group] {
        let resource = request.get("resource").and_then(Value::as_object);
        let resource = kind.read(resource.unwrap_or(&request));
        assert_eq!(kind.read(&resource), resource, "reading drops things once");
        store(kind, &resource);
        find(kind, &resource, text("filter"));
        show(kind, &resource, text("attributes"));
        change(kind, resource, &request);
    }
}

/// What is stored comes back as it was.
fn store(kind: Kind, resource: &Map<String, Value>) {
    match kind {
        Kind::User => {
            if let Some(user) = judge(UserAttributes::read(resource.clone())) {
                let fields = user.to_fields();
                let again = UserAttributes::read(fields.clone()).unwrap();
                assert_eq!(again.to_fields(), fields);
                assert!(user.address().is_none_or(|address| !address.is_empty()));
            }
        }
        Kind::Group => {
            judge(GroupAttributes::read(resource.clone()));
        }
    }
}

fn find(kind: Kind, resource: &Map<String, Value>, text: &str) {
    if let Some(filter) = judge(Filter::parse(text, kind)) {
        let found = matches(&filter, resource);
        let other = Filter::Not(Box::new(filter));
        assert_ne!(matches(&other, resource), found, "`not` is the opposite");
    }
}

fn show(kind: Kind, resource: &Map<String, Value>, names: &str) {
    for name in names.split(',') {
        if let Some(path) = AttributePath::parse(name.trim()) {
            assert_eq!(AttributePath::parse(&path.to_string()), Some(path));
        }
    }
    let none = [""; 0];
    for projection in [
        Projection::new(Some(names.split(',')), none),
        Projection::new(None::<[&str; 0]>, names.split(',')),
    ] {
        let mut shown = resource.clone();
        projection.apply(kind, &mut shown);
        assert!(shown.keys().all(|name| resource.contains_key(name)));
    }
}

fn change(kind: Kind, mut resource: Map<String, Value>, body: &Map<String, Value>) {
    let Some(patch) = judge(Patch::read(body)) else {
        return;
    };
    if judge(patch.apply(kind, &mut resource)).is_some() {
        store(kind, &kind.read(&resource));
    }
}

fn judge<T>(outcome: Result<T, ScimError>) -> Option<T> {
    outcome
        .inspect_err(|error| assert!(!error.to_string().is_empty()))
        .ok()
}
