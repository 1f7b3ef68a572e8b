//! What files say about people, beside their events.

use super::Omission;
use crate::{
    events::{
        accept::{identify::Identified, protocols::Person},
        enrich::visitor::Form,
        event,
    },
    fault::Fault,
};

/// Traits that were too many or too long to be kept.
static LEFT_OUT: Omission = Omission {
    field: "traits",
    reason: "Traits of a person beyond 50, and beyond 2,048 characters, aren't kept",
};

/// A person, as a record of a file names them.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPerson {
    /// Who, with traits.
    pub identified: Identified,
    /// The number under which imported events know the visitor; empty when the record names none.
    pub visitors: Vec<Form>,
    /// When it was said, Unix ms.
    pub said_ms: i64,
}

impl NamedPerson {
    /// Checks it like a call of `/identify`; with what of it is left out.
    ///
    /// # Errors
    /// An id is empty or too long.
    pub(super) fn accept(
        mut person: Person<'_>,
        said_ms: i64,
    ) -> Result<(Self, Option<&'static Omission>), Fault> {
        // A trait that is nothing deletes one, which history must not do.
        person.traits.retain(|_, value| !value.is_null());
        let identified = person.accept()?;
        let is_cut = identified.traits.len() < person.traits.len();
        let anonymous = identified.anonymous.as_str();
        // Visitors of imported events aren't salted.
        let visitor = (!anonymous.is_empty()).then(|| Form::Raw(event::identity(anonymous)));
        let named = Self {
            visitors: visitor.into_iter().collect(),
            identified,
            said_ms,
        };
        Ok((named, is_cut.then_some(&LEFT_OUT)))
    }
}
