//! The form of a new API key. The answer shows its secret.

use serde_json::{Map, Value, json};

use super::{DESCRIPTION, EXPIRES, SCOPES, draw_secret};
use crate::http::{
    pages::{
        form::{Empty, Kind},
        prelude::*,
    },
    procedures::apikeys::{self, wire::KeyDetails},
};

pub(super) struct NewKey;

impl Creation for NewKey {
    type Resource = KeyDetails;
    const PATH: &'static str = "/console/keys/new";
    const TITLE: &'static str = "Create API key";
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::line("name", "Name")
            .hint("Where you use it. Example: Backend server")
            .required(),
        DESCRIPTION,
        Input::new(Kind::Several(SCOPES), "scopes", "Permissions")
            .hint("Select only what the key needs.")
            .empty(Empty::List),
        Input::new(Kind::Several(&[]), "resources", "Websites").hint("Leave empty for all."),
        EXPIRES.empty(Empty::Omit),
    ])];

    const CREATE: Procedure = apikeys::CREATE.erase();

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&json!({ "scopes": ["read:data"] }))
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default().with("resources", context.websites()))
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let body = body(draft)?;
        let secret = draft.context.submit(&apikeys::CREATE, body).await?;
        Ok(draw_secret(draft.context, "API key created", &secret))
    }
}

/// The input of a new key. If websites are named, its scopes hold there and nowhere else.
fn body(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
    let mut body = draft.inputs.read(draft.sent)?;
    let own = &draft.context.session.active_organization;
    body.insert("organizationId".to_owned(), json!(own));
    if let Some(Value::Array(websites)) = body.remove("resources") {
        let scopes = body.remove("scopes").unwrap_or_default();
        let places = websites.iter().filter_map(Value::as_str);
        let places = places.map(|id| (format!("website:{id}"), scopes.clone()));
        body.insert("resources".to_owned(), Value::Object(places.collect()));
    }
    Ok(body)
}
