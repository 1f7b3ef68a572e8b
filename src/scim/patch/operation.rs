//! One change, as it is read.

use serde_json::Value;

use crate::scim::{AttributePath, ScimError, evaluate::get, filter::Filter};

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub(super) enum Verb {
    Add,
    Replace,
    Remove,
}

#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) verb: Verb,
    pub(super) place: Option<Place>,
    pub(super) value: Option<Value>,
}

/// A path of a change: `name.familyName`, `emails[type eq "work"].value`.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: AttributePath,
    pub(super) filter: Option<Filter>,
    /// The part behind the brackets.
    pub(super) part: Option<String>,
}

impl Operation {
    pub(super) fn read(sent: &Value) -> Result<Self, ScimError> {
        let syntax = |why: &str| ScimError::Syntax(why.to_owned());
        let fields = sent
            .as_object()
            .ok_or_else(|| syntax("An operation must be an object"))?;
        let verb = get(fields, "op").and_then(Value::as_str);
        let verb = verb.and_then(|verb| verb.parse().ok());
        let place = match get(fields, "path") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if path.is_empty() => None,
            Some(Value::String(path)) => Some(Place::parse(path).map_err(ScimError::Path)?),
            Some(_) => return Err(syntax("`path` must be a string")),
        };
        Ok(Self {
            verb: verb.ok_or_else(|| syntax("`op` must be `add`, `replace` or `remove`"))?,
            place,
            value: get(fields, "value").cloned(),
        })
    }
}

impl Place {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let no_attribute = || format!("`{text}` is no attribute");
        let Some(open) = text.find('[') else {
            return Ok(Self {
                path: AttributePath::parse(text).ok_or_else(no_attribute)?,
                filter: None,
                part: None,
            });
        };
        // A text in the filter may have a bracket; the last one closes.
        let close = text.rfind(']').ok_or("a bracket isn't closed")?;
        let part = match &text[close + 1..] {
            "" => None,
            rest => Some(rest.strip_prefix('.').ok_or_else(no_attribute)?.to_owned()),
        };
        let Filter::Within(path, inner) = Filter::read(&text[..=close])? else {
            return Err("what is before the part must be an attribute with brackets".to_owned());
        };
        debug_assert!(open < close, "the filter was read");
        if path.part.is_some() || part.as_deref().is_some_and(|part| part.contains('.')) {
            return Err(no_attribute());
        }
        Ok(Self {
            path,
            filter: Some(*inner),
            part,
        })
    }
}
