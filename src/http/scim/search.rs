//! Lists of resources: `GET /Users`, `GET /Groups`, and the same asked by `POST …/.search`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode},
    web,
};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::{body::Message, caller::Provider, resources::Resources, sent};
use crate::{
    actors::organizations::Provisioner,
    fault::Fault,
    http::{Shared, routes::Route},
    scim::{
        Filter, Kind, Projection, ScimError, matches,
        schemas::{LIST, MAX_RESULTS},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        listed("/scim/v2/Users", |route| route.to(users))
            .says("SCIM: users", "The users that the identity provider sent."),
        listed("/scim/v2/Groups", |route| route.to(groups)).says(
            "SCIM: groups",
            "The groups that the identity provider sent.",
        ),
        super::route(Method::POST, "/scim/v2/Users/.search", |route| {
            route.to(search_users)
        })
        .says(
            "SCIM: search users",
            "The parameters of a list, in the body.",
        )
        .body(sent()),
        super::route(Method::POST, "/scim/v2/Groups/.search", |route| {
            route.to(search_groups)
        })
        .says(
            "SCIM: search groups",
            "The parameters of a list, in the body.",
        )
        .body(sent()),
        super::route(Method::POST, "/scim/v2/.search", |route| route.to(search))
            .says(
                "SCIM: search users and groups",
                "The parameters of a list, in the body.",
            )
            .body(sent()),
    ]
}

fn listed(
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    super::route(Method::GET, path, service)
        .takes(
            "filter",
            "A filter of RFC 7644, such as `userName eq \"ada@example.com\"`",
        )
        .takes("startIndex", "The first result. Default: 1.")
        .takes("count", "Results in the answer, at most 200. Default: 200.")
        .takes("attributes", "The attributes to answer, comma-separated")
        .takes(
            "excludedAttributes",
            "Attributes to leave out, comma-separated",
        )
}

/// What a client wants to see.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    filter: Option<String>,
    start: usize,
    count: usize,
    pub(super) projection: Projection,
}

impl Wanted {
    pub(super) fn from_query(query: &str) -> Result<Self, ScimError> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        let fields = pairs.map(|(name, value)| {
            let is_list = name.to_ascii_lowercase().ends_with("attributes");
            let value = if is_list {
                json!(value.split(',').collect::<Vec<_>>())
            } else {
                json!(value)
            };
            (name.into_owned(), value)
        });
        Self::from_fields(&fields.collect())
    }

    fn from_fields(fields: &Map<String, Value>) -> Result<Self, ScimError> {
        let get = |name: &str| {
            let mut all = fields.iter();
            all.find(|(own, _)| own.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        };
        let number = |name: &str, usual: i64| match get(name) {
            None | Some(Value::Null) => Ok(usual),
            Some(value) => {
                let text = value.as_str().and_then(|text| text.trim().parse().ok());
                let wrong = || ScimError::Value(format!("`{name}` must be a number"));
                value.as_i64().or(text).ok_or_else(wrong)
            }
        };
        let names = |name: &str| match get(name) {
            Some(Value::Array(all)) => {
                Some(all.iter().filter_map(Value::as_str).collect::<Vec<_>>())
            }
            _ => None,
        };
        let (start, count) = (
            number("startIndex", 1)?,
            number("count", MAX_RESULTS as i64)?,
        );
        Ok(Self {
            filter: get("filter").and_then(Value::as_str).map(str::to_owned),
            start: usize::try_from(start).unwrap_or(1).max(1),
            count: usize::try_from(count).unwrap_or(0).min(MAX_RESULTS),
            projection: Projection::new(
                names("attributes"),
                names("excludedAttributes").unwrap_or_default(),
            ),
        })
    }

    /// The filter for each kind of resource that has its attributes.
    fn filters(&self, kinds: &[Kind]) -> Result<Vec<(Kind, Option<Filter>)>, ScimError> {
        let Some(text) = self.filter.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(kinds.iter().map(|kind| (*kind, None)).collect());
        };
        let mut refusal = None;
        let mut read = Vec::new();
        for kind in kinds {
            match Filter::parse(text, *kind) {
                Ok(filter) => read.push((*kind, Some(filter))),
                Err(error) => refusal = Some(error),
            }
        }
        match refusal {
            Some(error) if read.is_empty() => Err(error),
            _ => Ok(read),
        }
    }
}

async fn users(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let wanted = Wanted::from_query(request.query_string())?;
    list(&shared, &by, &wanted, &[Kind::User]).await
}

async fn groups(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let wanted = Wanted::from_query(request.query_string())?;
    list(&shared, &by, &wanted, &[Kind::Group]).await
}

async fn search_users(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    list(&shared, &by, &Wanted::from_fields(&body)?, &[Kind::User]).await
}

async fn search_groups(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    list(&shared, &by, &Wanted::from_fields(&body)?, &[Kind::Group]).await
}

async fn search(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let kinds = [Kind::User, Kind::Group];
    list(&shared, &by, &Wanted::from_fields(&body)?, &kinds).await
}

async fn list(
    shared: &Shared,
    by: &Provisioner,
    wanted: &Wanted,
    kinds: &[Kind],
) -> Result<HttpResponse, Fault> {
    let filters = wanted.filters(kinds)?;
    let resources = Resources::read(shared, by).await?;
    let mut found: Vec<(Kind, Map<String, Value>)> = Vec::new();
    for (kind, filter) in &filters {
        let fits = |fields: &Map<String, Value>| {
            filter.as_ref().is_none_or(|filter| matches(filter, fields))
        };
        let all: Vec<_> = match kind {
            Kind::User => {
                let users = shared.records.scim_users(&by.organization).await?;
                users.iter().map(|user| resources.user(user)).collect()
            }
            Kind::Group => resources
                .groups()
                .iter()
                .map(|group| resources.root.group(group))
                .collect(),
        };
        found.extend(all.into_iter().filter(fits).map(|fields| (*kind, fields)));
    }
    let total = found.len();
    let page = found.into_iter().skip(wanted.start - 1).take(wanted.count);
    let page: Vec<Value> = page
        .map(|(kind, mut fields)| {
            wanted.projection.apply(kind, &mut fields);
            Value::Object(fields)
        })
        .collect();
    let body = json!({
        "schemas": [LIST], "totalResults": total, "itemsPerPage": page.len(), "startIndex": wanted.start,
        "Resources": page,
    });
    Ok(super::answer::message(StatusCode::OK, &body))
}
