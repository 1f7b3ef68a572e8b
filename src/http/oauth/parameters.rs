//! The parameters of a request, each there at most once (RFC 6749, section 3.1).

use std::collections::HashMap;

use actix_web::http::header::HeaderMap;

use super::refusal::Refusal;
use crate::http::auth::has_type;

/// Characters of a value.
const MAX_LENGTH: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, String>);

impl Parameters {
    /// Reads the query of a request.
    ///
    /// # Errors
    /// A parameter is there twice, or too long.
    pub(super) fn from_query(query: &str) -> Result<Self, &'static str> {
        let mut all = HashMap::new();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            if value.len() > MAX_LENGTH {
                return Err("A parameter is longer than 4096 bytes");
            }
            if all.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err("A parameter is there twice");
            }
        }
        Ok(Self(all))
    }

    /// Reads a form.
    pub(super) fn from_form(headers: &HeaderMap, body: &[u8]) -> Result<Self, Refusal> {
        if !has_type(headers, "application/x-www-form-urlencoded") {
            let why = "Send a form, with Content-Type: application/x-www-form-urlencoded";
            return Err(Refusal::request(why));
        }
        let body = str::from_utf8(body).map_err(|_| Refusal::request("The form isn't UTF-8"))?;
        Self::from_query(body).map_err(Refusal::request)
    }

    /// A parameter; one without a value is not there.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    pub(super) fn require(&self, name: &'static str) -> Result<&str, Refusal> {
        let missing = || Refusal::request(format!("{name} is missing"));
        self.get(name).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_there_once() {
        let read = Parameters::from_query("a=1&b=&c=x%20y").unwrap();
        assert_eq!(read.get("a"), Some("1"));
        assert_eq!(read.get("b"), None, "without a value");
        assert_eq!(read.get("c"), Some("x y"));
        assert!(Parameters::from_query("a=1&a=1").is_err());
        assert!(Parameters::from_query(&format!("a={}", "x".repeat(4_097))).is_err());
    }
}
