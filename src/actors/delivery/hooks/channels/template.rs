//! Templates and expressions of channels, in the language of Jinja.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value, context};
use std::sync::LazyLock;

/// Steps that a template may take.
const FUEL: u64 = 50_000;
/// The name of templates whose values are parts of an address.
const URL: &str = "url";

static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut language = Environment::new();
    language.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    language.set_fuel(Some(FUEL));
    language.set_keep_trailing_newline(true);
    language.set_auto_escape_callback(|name| match name {
        URL => AutoEscape::Custom(URL),
        _ => AutoEscape::None,
    });
    language.set_formatter(|out, state, value| {
        if state.auto_escape() == AutoEscape::Custom(URL) && !value.is_safe() {
            return out
                .write_str(&percent(&value.to_string()))
                .map_err(Error::from);
        }
        minijinja::escape_formatter(out, state, value)
    });
    language.add_filter("cut", |text: &str, most: usize| -> String {
        text.chars().take(most).collect()
    });
    language.add_filter("base64", |text: &str| STANDARD.encode(text));
    language.add_filter("percent", |text: &str| percent(text));
    // What Slack wants escaped.
    language.add_filter("mrkdwn", |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    });
    language.add_filter("html", |text: &str| -> String {
        minijinja::HtmlEscape(text)
            .to_string()
            .replace('\n', "<br>")
    });
    language.add_filter("markdown", escape_markdown);
    language
});

/// Escapes what Markdown reads as more than text.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>#|~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Text as a part of an address.
fn percent(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

/// Values of every name that a template may know.
pub(super) fn sample<'a>(fields: impl Iterator<Item = &'a str>) -> Value {
    let texts = [
        "base",
        "recipient",
        "id",
        "event",
        "title",
        "text",
        "link",
        "thread",
        "timestamp",
    ];
    let texts = texts.into_iter().chain(fields);
    let texts: Value = texts.map(|name| (name, "text")).collect();
    context! { seconds => 0, resolved => false, data => context! {}, ..texts }
}

/// Whether a template can be read and knows its filters; the error says why not.
pub(super) fn check(text: &str, names: &Value) -> Result<(), String> {
    match expression(text) {
        Some(expression) => check_expression(expression, names),
        None => judge(LANGUAGE.render_str(text, names)),
    }
}

pub(super) fn check_expression(text: &str, names: &Value) -> Result<(), String> {
    let read = LANGUAGE.compile_expression(text);
    judge(read.and_then(|read| read.eval(names)))
}

/// What a try says of a template itself. Real values may do what these can't.
fn judge<T>(tried: Result<T, Error>) -> Result<(), String> {
    match tried {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::SyntaxError
                    | ErrorKind::UnknownFilter
                    | ErrorKind::UnknownTest
                    | ErrorKind::UnknownFunction
                    | ErrorKind::UnknownMethod
            ) =>
        {
            Err(error.to_string())
        }
        _ => Ok(()),
    }
}

/// Fills a template with values.
pub(super) fn fill(text: &str, values: &Value) -> Result<String, String> {
    LANGUAGE
        .render_str(text, values)
        .map_err(|error| error.to_string())
}

/// Fills a template of an address: what is put in can't become another part of it.
pub(super) fn fill_url(text: &str, values: &Value) -> Result<String, String> {
    LANGUAGE
        .render_named_str(URL, text, values)
        .map_err(|error| error.to_string())
}

/// The value of an expression.
pub(super) fn evaluate(text: &str, values: &Value) -> Result<Value, String> {
    let read = LANGUAGE.compile_expression(text);
    read.and_then(|read| read.eval(values))
        .map_err(|error| error.to_string())
}

/// Fills every text of a body. A text that is one expression becomes its value; what has none is left out.
pub(super) fn fill_json(
    template: &toml::Value,
    values: &Value,
) -> Result<Option<serde_json::Value>, String> {
    Ok(Some(match template {
        toml::Value::String(text) => match expression(text) {
            Some(expression) => {
                let value = evaluate(expression, values)?;
                if value.is_undefined() || value.is_none() {
                    return Ok(None);
                }
                serde_json::to_value(value).map_err(|error| error.to_string())?
            }
            None => fill(text, values)?.into(),
        },
        toml::Value::Array(all) => {
            let filled = all.iter().map(|one| fill_json(one, values));
            let filled: Result<Vec<_>, _> = filled.collect();
            filled?.into_iter().flatten().collect()
        }
        toml::Value::Table(all) => {
            let mut object = serde_json::Map::new();
            for (name, one) in all {
                if let Some(value) = fill_json(one, values)? {
                    object.insert(name.clone(), value);
                }
            }
            object.into()
        }
        other => serde_json::to_value(other).map_err(|error| error.to_string())?,
    }))
}

/// What is between the braces of a text that is nothing else.
fn expression(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?.strip_suffix("}}")?;
    (!inner.contains("}}") && !inner.contains("{{")).then_some(inner)
}
