//! The attributes that resources have.

use serde_json::{Map, Value};

use super::AttributePath;

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    User,
    Group,
}

/// An attribute, as it is spelled.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) parts: &'static [&'static str],
    pub(super) is_list: bool,
    /// Whether only the server writes it.
    pub(super) is_read_only: bool,
}

impl Attribute {
    const fn simple(name: &'static str) -> Self {
        Self {
            name,
            parts: &[],
            is_list: false,
            is_read_only: false,
        }
    }

    const fn complex(name: &'static str, parts: &'static [&'static str]) -> Self {
        Self {
            parts,
            ..Self::simple(name)
        }
    }

    const fn list(name: &'static str, parts: &'static [&'static str]) -> Self {
        Self {
            is_list: true,
            ..Self::complex(name, parts)
        }
    }

    const fn read_only(self) -> Self {
        Self {
            is_read_only: true,
            ..self
        }
    }

    /// The spelling of a part.
    pub(super) fn part(&self, name: &str) -> Option<&'static str> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.eq_ignore_ascii_case(name)).copied()
    }
}

const META: Attribute = Attribute::complex(
    "meta",
    &[
        "resourceType",
        "created",
        "lastModified",
        "location",
        "version",
    ],
)
.read_only();

const USER: &[Attribute] = &[
    Attribute::simple("id").read_only(),
    Attribute::simple("externalId"),
    Attribute::simple("userName"),
    Attribute::complex(
        "name",
        &[
            "formatted",
            "familyName",
            "givenName",
            "middleName",
            "honorificPrefix",
            "honorificSuffix",
        ],
    ),
    Attribute::simple("displayName"),
    Attribute::simple("active"),
    Attribute::list("emails", &["value", "display", "type", "primary"]),
    Attribute::list("groups", &["value", "$ref", "display", "type"]).read_only(),
    META,
];

const GROUP: &[Attribute] = &[
    Attribute::simple("id").read_only(),
    Attribute::simple("externalId"),
    Attribute::simple("displayName"),
    Attribute::list("members", &["value", "$ref", "display", "type"]),
    META,
];

impl Kind {
    /// The resource's name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
        }
    }

    /// Where resources of this kind are, below the root.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::User => "Users",
            Self::Group => "Groups",
        }
    }

    pub const fn schema(self) -> &'static str {
        match self {
            Self::User => "urn:ietf:params:scim:schemas:core:2.0:User",
            Self::Group => "urn:ietf:params:scim:schemas:core:2.0:Group",
        }
    }

    pub(super) const fn attributes(self) -> &'static [Attribute] {
        match self {
            Self::User => USER,
            Self::Group => GROUP,
        }
    }

    /// The attribute of a path, and the spelling of its part; `None` for what a resource does not have.
    pub(super) fn find(
        self,
        path: &AttributePath,
    ) -> Option<(&'static Attribute, Option<&'static str>)> {
        let schema = path.schema.as_ref();
        if schema.is_some_and(|schema| !schema.eq_ignore_ascii_case(self.schema())) {
            return None;
        }
        let attribute = self.attribute(&path.name)?;
        match &path.part {
            None => Some((attribute, None)),
            Some(part) => Some((attribute, Some(attribute.part(part)?))),
        }
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'static Attribute> {
        let mut all = self.attributes().iter();
        all.find(|one| one.name.eq_ignore_ascii_case(name))
    }

    /// What a client sent, with the attributes that a client may write, as they are spelled. Nulls and empty lists are like
    /// nothing.
    pub fn read(self, sent: &Map<String, Value>) -> Map<String, Value> {
        let written = sent.iter().filter_map(|(name, value)| {
            let attribute = self.attribute(name).filter(|one| !one.is_read_only)?;
            Some((attribute.name.to_owned(), attribute.read(value)?))
        });
        written.collect()
    }
}

impl Attribute {
    /// A value of this attribute with its parts as they are spelled; `None` where nothing is left.
    pub(super) fn read(&self, sent: &Value) -> Option<Value> {
        match sent {
            Value::Null => None,
            Value::Array(all) if self.is_list => {
                let known = all.iter().filter_map(|one| self.read_element(one));
                let known: Vec<Value> = known.collect();
                (!known.is_empty()).then_some(Value::Array(known))
            }
            Value::Array(all) if all.is_empty() => None,
            one if self.is_list => Some(Value::Array(vec![self.read_element(one)?])),
            one => self.read_element(one),
        }
    }

    pub(super) fn read_element(&self, sent: &Value) -> Option<Value> {
        let Value::Object(fields) = sent else {
            return Some(sent.clone()).filter(|one| !one.is_null());
        };
        let own = fields.iter().filter(|(_, value)| !value.is_null());
        let own =
            own.filter_map(|(name, value)| Some((self.part(name)?.to_owned(), value.clone())));
        let own: Map<String, Value> = own.collect();
        (!own.is_empty()).then_some(Value::Object(own))
    }
}
