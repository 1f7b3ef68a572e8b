use super::*;

fn urls() -> Urls {
    Urls {
        base: "https://pharos.example".into(),
        track: "https://in.pharos.example".into(),
        links: "https://go.pharos.example".into(),
        docs: "https://pharos.example".into(),
    }
}

#[test]
fn the_document_is_of_the_promised_version_and_groups() {
    let document = document(&urls());
    assert_eq!(document["openapi"], "3.1.1");
    assert_eq!(document["info"]["version"], "1.0.0");
    let tags: Vec<&str> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tag| tag["name"].as_str())
        .collect();
    assert_eq!(tags, TAGS);
}

#[test]
fn operations_are_named_once_and_use_known_tags_and_schemas() {
    let document = document(&urls());
    let mut ids = std::collections::HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| *name != "servers")
        {
            assert!(
                ids.insert(operation["operationId"].as_str().unwrap().to_owned()),
                "{method} {path}"
            );
            for tag in operation["tags"].as_array().into_iter().flatten() {
                assert!(TAGS.contains(&tag.as_str().unwrap()), "{path} {tag}");
            }
        }
    }
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(
            document["components"]["schemas"].get(name).is_some(),
            "{name}"
        );
    }
}

#[test]
fn procedures_say_which_scope_they_need() {
    let document = document(&urls());
    for (path, scope) in [
        ("/websites/list", "read:data"),
        ("/rpc/websites/list", "read:data"),
        ("/websites/create", "manage:websites"),
        ("/v1/query", "read:data"),
    ] {
        assert_eq!(
            document["paths"][path]["post"]["x-required-scopes"],
            serde_json::json!([scope]),
            "{path}"
        );
    }
    assert_eq!(
        document["paths"]["/health"]["get"]["security"],
        serde_json::json!([])
    );
}

#[test]
fn patterns_of_path_parameters_are_left_out() {
    assert_eq!(plain("/a/{b}/{c:.*}"), "/a/{b}/{c}");
}
