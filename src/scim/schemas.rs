//! What a service provider says of itself (RFC 7643, sections 5 to 7).

use serde_json::{Value, json};

use super::Kind;

/// The media type of bodies and answers.
pub const MEDIA: &str = "application/scim+json";
pub const ERROR: &str = "urn:ietf:params:scim:api:messages:2.0:Error";
pub const LIST: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/// Resources in an answer at most, and usually.
pub const MAX_RESULTS: usize = 200;

/// A failure.
pub fn error(status: u16, keyword: Option<&str>, detail: &str) -> Value {
    let mut body = json!({ "schemas": [ERROR], "status": status.to_string(), "detail": detail });
    if let Some(keyword) = keyword {
        body["scimType"] = json!(keyword);
    }
    body
}

/// What the protocol's parts can do here; `root` is the address of the protocol.
pub fn service_provider(root: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": { "supported": true },
        "bulk": { "supported": false, "maxOperations": 0, "maxPayloadSize": 0 },
        "filter": { "supported": true, "maxResults": MAX_RESULTS },
        "changePassword": { "supported": false },
        "sort": { "supported": false },
        "etag": { "supported": true },
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "OAuth Bearer Token",
            "description": "A SCIM token of an organization, made on the page Members",
            "specUri": "https://www.rfc-editor.org/info/rfc6750",
            "primary": true,
        }],
        "meta": { "resourceType": "ServiceProviderConfig", "location": format!("{root}/ServiceProviderConfig") },
    })
}

/// What kinds of resources there are.
pub fn resource_types(root: &str) -> Vec<Value> {
    let describe = |(kind, description): (Kind, &str)| {
        let name = kind.name();
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
            "id": name,
            "name": name,
            "description": description,
            "endpoint": format!("/{}", kind.endpoint()),
            "schema": kind.schema(),
            "meta": { "resourceType": "ResourceType", "location": format!("{root}/ResourceTypes/{name}") },
        })
    };
    let all = [(Kind::User, "A person"), (Kind::Group, "A group of people")];
    all.into_iter().map(describe).collect()
}

/// The attributes of each kind of resource.
pub fn schemas(root: &str) -> Vec<Value> {
    let describe = |(kind, attributes): (Kind, Value)| {
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
            "id": kind.schema(),
            "name": kind.name(),
            "description": format!("The attributes of a {}", kind.name()),
            "attributes": attributes,
            "meta": { "resourceType": "Schema", "location": format!("{root}/Schemas/{}", kind.schema()) },
        })
    };
    [(Kind::User, user()), (Kind::Group, group())]
        .into_iter()
        .map(describe)
        .collect()
}

fn user() -> Value {
    let name = [
        text("formatted", "The whole name"),
        text("familyName", "The family name"),
        text("givenName", "The given name"),
        text("middleName", "The middle names"),
        text("honorificPrefix", "A title in front"),
        text("honorificSuffix", "A title behind"),
    ];
    let email = [
        text("value", "The address").required(),
        text("display", "The address as people read it"),
        text("type", "Such as work"),
        attribute(
            "primary",
            "boolean",
            "Whether the address decides about the account",
        ),
    ];
    let group = [
        text("value", "The ID of the group").read_only(),
        attribute("$ref", "reference", "The address of the group")
            .refers_to("Group")
            .read_only(),
        text("display", "The name of the group").read_only(),
        text("type", "Always direct").read_only(),
    ];
    let all = [
        text("userName", "Names the person, usually an email address")
            .required()
            .unique(),
        text("externalId", "The provider's own ID").exact(),
        attribute("name", "complex", "The parts of the name").parts(&name),
        text("displayName", "What the person is called"),
        attribute(
            "active",
            "boolean",
            "Whether the person is a member of the organization",
        ),
        // An address as the user name would do as well, which no schema can say.
        attribute("emails", "complex", "Addresses of the person")
            .parts(&email)
            .required()
            .list(),
        attribute("groups", "complex", "The groups of the person")
            .parts(&group)
            .list()
            .read_only(),
    ];
    all.into_iter().map(|one| one.0).collect()
}

fn group() -> Value {
    let member = [
        text("value", "The ID of the user").required().immutable(),
        attribute("$ref", "reference", "The address of the user")
            .refers_to("User")
            .immutable(),
        text("type", "Always User").among(&["User"]).immutable(),
    ];
    let all = [
        text("displayName", "The name of the group")
            .required()
            .unique(),
        text("externalId", "The provider's own ID").exact(),
        attribute("members", "complex", "The users of the group")
            .parts(&member)
            .list(),
    ];
    all.into_iter().map(|one| one.0).collect()
}

/// The description of an attribute.
struct Described(Value);

fn text(name: &str, description: &str) -> Described {
    let mut described = attribute(name, "string", description);
    described.0["caseExact"] = json!(false);
    described.0["uniqueness"] = json!("none");
    described
}

fn attribute(name: &str, kind: &str, description: &str) -> Described {
    Described(json!({
        "name": name, "type": kind, "description": description, "multiValued": false,
        "required": false, "mutability": "readWrite", "returned": "default",
    }))
}

impl Described {
    fn with(mut self, field: &str, value: Value) -> Self {
        self.0[field] = value;
        self
    }

    fn required(self) -> Self {
        self.with("required", json!(true))
    }

    fn unique(self) -> Self {
        self.with("uniqueness", json!("server"))
    }

    fn exact(self) -> Self {
        self.with("caseExact", json!(true))
    }

    fn list(self) -> Self {
        self.with("multiValued", json!(true))
    }

    fn read_only(self) -> Self {
        self.with("mutability", json!("readOnly"))
    }

    fn immutable(self) -> Self {
        self.with("mutability", json!("immutable"))
    }

    fn among(self, values: &[&str]) -> Self {
        self.with("canonicalValues", json!(values))
    }

    fn refers_to(self, kind: &str) -> Self {
        self.with("referenceTypes", json!([kind]))
    }

    fn parts(self, parts: &[Self]) -> Self {
        let parts = parts.iter().map(|one| one.0.clone()).collect();
        self.with("subAttributes", parts)
    }
}
