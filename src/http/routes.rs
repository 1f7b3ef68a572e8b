//! A route as data: where it is, who may call it, what it says, and the handler behind it.
//!
//! Registration, the OpenAPI document and the list of known paths all derive from these values: no route
//! can be served without being documented (threat T45).

use actix_web::{
    HttpResponse, guard,
    http::{Method, header},
    web,
};
use serde_json::Value;

use super::Host;
use crate::access::Scope;

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    /// A key with this scope, or a session.
    Scoped(Scope),
    /// Only a key with this scope.
    Keyed(Scope),
    /// Only a key, with whatever scopes.
    AnyKey,
    /// A known caller: a key with whatever scopes, or a session.
    Known,
    Session,
    /// An identity provider with a SCIM token.
    Scim,
    /// A probe with its token.
    Probe,
    /// A key with `track:events`, or anybody who names a website's client id.
    Ingest,
}

/// The format of failures beside the style of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFormat {
    /// In a protocol's own words: the name of their schema.
    As(&'static str),
    /// As a page for people.
    Page,
}

/// A parameter of the query string.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: &'static str,
    /// What it says, in a sentence.
    pub description: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// Schema of its value. An object has each of its members as a parameter of its own.
    pub schema: Value,
}

/// One method of one path.
pub struct Route {
    /// The method; `GET` answers `HEAD` as well.
    pub method: Method,
    /// The path, with `{name}` for its parameters.
    pub path: &'static str,
    /// Other spellings of it, which are served and not documented.
    pub aliases: Vec<&'static str>,
    /// Where it is served.
    pub host: Host,
    pub access: Access,
    /// Group in the reference, one of [`TAGS`](super::openapi::TAGS).
    pub tag: Option<&'static str>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What it does, in sentences.
    pub description: &'static str,
    pub parameters: Vec<Parameter>,
    /// Schema of the JSON body, if it takes one.
    pub body: Option<Value>,
    /// Whether the body is a file, which is no JSON.
    pub is_file: bool,
    /// Schema of the body as a form, if it may be one.
    pub form: Option<Value>,
    pub answer: Value,
    /// Media type of the answer.
    pub media: &'static str,
    /// Further media types of the answer, which depend on what is asked for.
    pub other_media: Vec<&'static str>,
    pub status: u16,
    /// Whether failures are documented at all.
    pub may_fail: bool,
    /// Statuses that follow from nothing else here.
    pub statuses: Vec<u16>,
    /// The format of failures beside the style of the path.
    pub told: Option<ErrorFormat>,
    service: Box<dyn Fn(actix_web::Route) -> actix_web::Route>,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Route({} {})", self.method, self.path)
    }
}

impl Route {
    /// A public route that answers JSON; the builder methods say more.
    pub fn new(
        method: Method,
        host: Host,
        path: &'static str,
        service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
    ) -> Self {
        Self {
            method,
            path,
            aliases: Vec::new(),
            host,
            access: Access::Public,
            tag: None,
            summary: "",
            description: "",
            parameters: Vec::new(),
            body: None,
            is_file: false,
            form: None,
            answer: serde_json::json!({ "type": "object" }),
            media: "application/json",
            other_media: Vec::new(),
            status: 200,
            may_fail: true,
            statuses: Vec::new(),
            told: None,
            service: Box::new(service),
        }
    }

    /// Serves it under another spelling, too.
    pub fn also(mut self, path: &'static str) -> Self {
        self.aliases.push(path);
        self
    }

    pub fn says(mut self, summary: &'static str, description: &'static str) -> Self {
        self.summary = summary;
        self.description = description;
        self
    }

    pub fn needs(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Puts it into a group of the reference.
    pub fn tagged(mut self, tag: &'static str) -> Self {
        self.tag = Some(tag);
        self
    }

    /// Adds an optional query parameter, which is a text.
    pub fn takes(self, name: &'static str, description: &'static str) -> Self {
        self.takes_as(name, description, serde_json::json!({ "type": "string" }))
    }

    /// Adds an optional query parameter of a type.
    pub fn takes_as(
        mut self,
        name: &'static str,
        description: &'static str,
        schema: Value,
    ) -> Self {
        self.parameters.push(Parameter {
            name,
            description,
            required: false,
            schema,
        });
        self
    }

    /// Adds a query parameter that has to be there, which is a text.
    pub fn wants(mut self, name: &'static str, description: &'static str) -> Self {
        self.parameters.push(Parameter {
            name,
            description,
            required: true,
            schema: serde_json::json!({ "type": "string" }),
        });
        self
    }

    pub fn body(mut self, schema: Value) -> Self {
        self.body = Some(schema);
        self
    }

    /// Takes the body as a form, or also as one.
    pub fn or_form(mut self, schema: Value) -> Self {
        self.form = Some(schema);
        self
    }

    /// Takes a file as the body.
    pub fn file(mut self) -> Self {
        self.is_file = true;
        self
    }

    pub fn answers(mut self, schema: Value) -> Self {
        self.answer = schema;
        self
    }

    /// Answers something else than JSON.
    pub fn media(mut self, media: &'static str) -> Self {
        self.media = media;
        self.answer = serde_json::json!({ "type": "string" });
        self
    }

    /// Answers these media types as well.
    pub fn or_media(mut self, media: &[&'static str]) -> Self {
        self.other_media.extend(media);
        self
    }

    /// Answers success without a body.
    pub fn empty(mut self) -> Self {
        self.media = "";
        self
    }

    /// Answers success without a body under this status.
    pub fn empty_with(mut self, status: u16) -> Self {
        self.status = status;
        self.empty()
    }

    /// Leads the browser elsewhere.
    pub fn redirects(mut self) -> Self {
        self.status = 303;
        self.empty()
    }

    pub fn created(mut self) -> Self {
        self.status = 201;
        self
    }

    pub fn accepted(mut self) -> Self {
        self.status = 202;
        self
    }

    /// Answers this status as well, which follows neither from its access, its path nor its input.
    pub fn or(mut self, status: u16) -> Self {
        self.statuses.push(status);
        self
    }

    /// Answers failures in another format, too.
    pub fn error_format(mut self, told: ErrorFormat) -> Self {
        self.told = Some(told);
        self
    }

    /// Answers the same whatever goes wrong.
    pub fn always(mut self) -> Self {
        self.may_fail = false;
        self
    }

    fn service(&self) -> actix_web::Route {
        let route = match self.method {
            Method::GET => web::route().guard(guard::Any(guard::Get()).or(guard::Head())),
            ref method => web::route().method(method.clone()),
        };
        (self.service)(route)
    }
}

/// Serves the routes; another method on one of their paths is 405 and names those there are.
pub fn register(config: &mut web::ServiceConfig, routes: &[Route]) {
    let mut done: Vec<&str> = Vec::new();
    for route in routes {
        if done.contains(&route.path) {
            continue;
        }
        done.push(route.path);
        let same: Vec<&Route> = routes
            .iter()
            .filter(|other| other.path == route.path)
            .collect();
        let methods: Vec<&str> = same.iter().map(|route| route.method.as_str()).collect();
        let allow = methods.join(", ");
        let aliases = route.aliases.iter().copied();
        let paths: Vec<&str> = std::iter::once(route.path).chain(aliases).collect();
        let resource = same.iter().fold(web::resource(paths), |resource, route| {
            resource.route(route.service())
        });
        config.service(resource.default_service(web::to(move || {
            let allow = allow.clone();
            async move {
                HttpResponse::MethodNotAllowed()
                    .insert_header((header::ALLOW, allow))
                    .finish()
            }
        })));
    }
}
