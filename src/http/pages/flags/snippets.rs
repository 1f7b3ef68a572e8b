//! Code that asks for a flag, by client.

use serde_json::Value;

use crate::{
    actors::flags::FlagType,
    http::{pages::prelude::*, procedures::flags::shapes::FlagOut},
    pages::part::copyable,
};

/// Clients with their code. `{base}` is the address of evaluations, `{query}` that of one evaluation, `{key}` the flag,
/// `{method}` and `{default}` fit its values.
const CLIENTS: [(&str, &str); 5] = [
    ("curl", "curl \"{query}\""),
    (
        "curl (OFREP)",
        "curl {base}/ofrep/v1/evaluate/flags/{key} \\\n  -H \"content-type: application/json\" \\\n  -d '{\"context\": {\"targetingKey\": \"user-1\"}}'",
    ),
    (
        "OpenFeature for the web",
        "// npm install @openfeature/web-sdk @openfeature/ofrep-web-provider\nimport { OpenFeature } from \"@openfeature/web-sdk\";\nimport { OFREPWebProvider } from \"@openfeature/ofrep-web-provider\";\n\nawait OpenFeature.setContext({ targetingKey: \"user-1\" });\nawait OpenFeature.setProviderAndWait(new OFREPWebProvider({ baseUrl: \"{base}\" }));\nconst value = OpenFeature.getClient().get{method}Value(\"{key}\", {default});",
    ),
    (
        "OpenFeature for Node.js",
        "// npm install @openfeature/server-sdk @openfeature/ofrep-provider\nimport { OpenFeature } from \"@openfeature/server-sdk\";\nimport { OFREPProvider } from \"@openfeature/ofrep-provider\";\n\nawait OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: \"{base}\" }));\nconst client = OpenFeature.getClient();\nconst value = await client.get{method}Value(\"{key}\", {default}, { targetingKey: \"user-1\" });",
    ),
    (
        "OpenFeature for Python",
        "# pip install openfeature-provider-ofrep\nfrom openfeature import api\nfrom openfeature.contrib.provider.ofrep import OFREPProvider\nfrom openfeature.evaluation_context import EvaluationContext\n\napi.set_provider(OFREPProvider(\"{base}\"))\nclient = api.get_client()\nvalue = client.get_{method:python}_value(\"{key}\", {default:python}, EvaluationContext(\"user-1\"))",
    ),
];

/// The type of a flag's values: the names of `OpenFeature`'s methods and a default, each in JavaScript and in Python.
fn value_type(flag: &FlagOut) -> [(&'static str, &'static str); 2] {
    let first = flag.variants.first().map(|variant| &variant.value);
    match first.filter(|_| flag.kind == FlagType::Multivariant) {
        None | Some(Value::Bool(_)) => [("Boolean", "false"), ("boolean", "False")],
        Some(Value::String(_)) => [("String", "\"\""), ("string", "\"\"")],
        // Python tells whole numbers from others.
        Some(Value::Number(_)) if is_whole(flag) => [("Number", "0"), ("integer", "0")],
        Some(Value::Number(_)) => [("Number", "0"), ("float", "0.0")],
        Some(_) => [("Object", "{}"), ("object", "{}")],
    }
}

/// Whether all values are whole numbers.
fn is_whole(flag: &FlagOut) -> bool {
    flag.variants.iter().all(|variant| variant.value.is_i64())
}

/// The code, the first client open.
pub(super) fn draw(context: &PageContext, flag: &FlagOut) -> Markup {
    let base_url = &context.shared().urls.base;
    let owner = flag.website_id.as_ref().or(flag.organization_id.as_ref());
    let owner = owner.map_or("", String::as_str);
    let base = format!("{base_url}/public/v1/flags/{owner}");
    let mut query = format!(
        "{base_url}/public/v1/flags/evaluate?clientId={owner}&key={}&userId=user-1",
        flag.key
    );
    if let Some(environment) = &flag.environment {
        let environment = url::form_urlencoded::byte_serialize(environment.as_bytes());
        query.extend(["&environment="].into_iter().chain(environment));
    }
    let [(method, default), (python_method, python_default)] = value_type(flag);
    let fill = |code: &str| {
        let places = [
            ("{base}", base.as_str()),
            ("{query}", &query),
            ("{key}", &flag.key),
            ("{method}", method),
            ("{default}", default),
            ("{method:python}", python_method),
            ("{default:python}", python_default),
        ];
        let filled = places.into_iter();
        filled.fold(code.to_owned(), |code, (place, value)| {
            code.replace(place, value)
        })
    };
    // Clients of OFREP read the flags of no environment.
    let is_understood =
        |(_, code): &&(&str, &str)| flag.environment.is_none() || code.contains("{query}");
    let clients: Vec<_> = CLIENTS.iter().filter(is_understood).collect();
    html! {
        @for (at, (client, code)) in clients.iter().enumerate() {
            details.behind name="snippet" open[at == 0] {
                summary { (client) }
                (copyable(&format!("Code for {client}"), &fill(code)))
            }
        }
        @if flag.environment.is_some() { p.dim { "OpenFeature's protocol has no environments. Its clients read flags without one." } }
    }
}
