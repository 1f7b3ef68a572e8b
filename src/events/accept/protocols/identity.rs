//! Who a visitor is, as clients of other products say it.

use super::{super::identify, Origin};
use crate::events::tree::{Object, Text, Value};
use crate::fault::Fault;

/// A call that names a person, or says that a visitor is one.
#[derive(Debug, Clone, Default)]
pub struct Person<'a> {
    /// The website's own id of the person.
    pub profile: Text<'a>,
    /// The visitor that the person is. Without one and with `is_here`, the visitor of this request.
    pub anonymous: Option<Text<'a>>,
    /// Whether the person is who sent the request.
    pub is_here: bool,
    pub traits: Object<'a>,
    pub origin: Origin<'a>,
}

impl Person<'_> {
    /// Checks it like a body of `/identify`. Of the traits, those that fit are kept.
    ///
    /// # Errors
    /// An id is empty or too long.
    pub fn accept(&self) -> Result<identify::Identified, Fault> {
        let body = serde_json::json!({
            "profileId": self.profile, "anonymousId": self.anonymous, "traits": self.fitting_traits(),
        });
        identify::read(body.to_string().as_bytes())?.accept()
    }

    /// The first traits that fit; objects and lists become texts.
    fn fitting_traits(&self) -> Object<'_> {
        let mut left = identify::MAX_CHARACTERS - 2;
        let mut kept = Object::new();
        for (key, value) in self.traits.iter() {
            let value = match value {
                Value::Array(_) | Value::Object(_) => value.to_string().into(),
                value => value.clone(),
            };
            let key_text = Value::from(key).to_string();
            let length = key_text.chars().count() + value.to_string().chars().count() + 2;
            let fits = length <= left && kept.len() < identify::MAX_TRAITS;
            if fits && !key.trim().is_empty() {
                left -= length;
                kept.insert(key, value);
            }
        }
        kept
    }
}
