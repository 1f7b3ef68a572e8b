//! Adding a website.

use serde_json::{Map, Value, json};

use crate::http::{
    pages::{form::Empty, prelude::*, resource::submit},
    procedures::websites::{self, WebsiteOut},
};

pub(super) struct NewWebsite;

impl Creation for NewWebsite {
    type Resource = WebsiteOut;
    const NAV_ITEM: NavItem = NavItem::NewWebsite;
    const PATH: &'static str = "/console/sites/new";
    const TITLE: &'static str = "Add website";
    const SEND: &'static str = Self::TITLE;
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::line("domain", "Domain")
            .hint("Example: www.example.com. Only pages of this domain and its subdomains can send events.")
            .required(),
        Input::line("name", "Name")
            .hint("Default: the domain.")
            .empty(Empty::Omit),
    ])];
    const CREATE: Procedure = websites::CREATE.erase();

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let mut input = draft.inputs.read(draft.sent)?;
        let domain = draft.sent.text("domain");
        input
            .entry("name")
            .or_insert_with(|| json!(find_domain(domain)));
        Ok(input)
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let id = submit::<Self>(draft).await?;
        Ok(answer::redirect(&format!("/console/site/{id}/setup")))
    }
}

/// The domain in an address.
fn find_domain(domain: &str) -> &str {
    let rest = domain.split_once("://").map_or(domain, |(_, rest)| rest);
    rest.split(['/', ':', '?', '#']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::find_domain;

    #[test]
    fn a_website_has_the_name_of_its_domain() {
        assert_eq!(
            find_domain("https://www.example.com:8080/a?b"),
            "www.example.com"
        );
        assert_eq!(find_domain("example.com"), "example.com");
        assert_eq!(find_domain(""), "");
    }
}
