//! Bodies that are accepted as a whole, and *spans*: the arrays of vitals, errors, engagement and events in the older form.

use super::{
    Context, Target,
    field::{Check, EVENT_ID, ID},
    invalid,
    wire::{self, Fields, Item, Value},
};
use crate::{
    events::{
        enrich::{Identity, SenderContext},
        event::Event,
        store::Accepted,
    },
    fault::{Fault, Issue},
};

/// Reads an array of spans, all of it or nothing; `event` fills in what only its kind has.
pub(super) fn accept<'b, T: Fields<'b> + Span>(
    bytes: &'b [u8],
    context: &Context<'_>,
    event: impl Fn(&T, &mut Check) -> Event,
) -> Result<Vec<Accepted>, Fault> {
    let wire::Body::Many(items) = wire::read::<T>(bytes)? else {
        let message = "Expected an array of objects";
        return Err(invalid(vec![Issue::new("invalid_type", "", message)]));
    };
    let (visit, target) = (context.visit, &context.target);
    accept_all(
        items,
        true,
        visit.received,
        |_| Ok(()),
        |span: &T, (), check| {
            check.require("timestamp", span.timestamp());
            check.require("path", span.path());
            let mut event = event(span, check);
            check.path(span.path(), &mut event);
            span.sender().stamp(event, visit, target, check)
        },
    )
}

/// Checks every item of a body, which is an array or one object; `about` says what is needed of an item beforehand.
pub(super) fn accept_all<T, A>(
    items: Vec<Item<T>>,
    is_array: bool,
    received: i64,
    about: impl Fn(&Item<T>) -> Result<A, Fault>,
    event: impl Fn(&T, &A, &mut Check) -> Accepted,
) -> Result<Vec<Accepted>, Fault> {
    let mut all = Check::new(None, received);
    let mut accepted = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let mut check = Check::new(is_array.then_some(index), received);
        let about = about(&item)?;
        match item {
            Item::Object(object) => {
                accepted.push(event(&object, &about, &mut check));
                all.absorb(check);
            }
            Item::Hollow => all.absorb(check.hollow()),
            Item::Other => all.absorb(check.no_object()),
        }
        if all.is_full() {
            break;
        }
    }
    all.finish(accepted)
}

pub(super) trait Span {
    fn timestamp(&self) -> &Value<'_>;
    fn path(&self) -> &Value<'_>;
    fn sender(&self) -> Sender<'_>;
}

/// Declares a kind of span: what all of them say, and what only this one does.
macro_rules! span {
    ($(#[$doc:meta])* $name:ident, required [$($required:ident),*] { $($own:tt)* }) => {
        $crate::events::accept::wire::fields! {
            $(#[$doc])*
            $name, required [timestamp, path $(, $required)*] {
                event_id: Value = "eventId",
                timestamp: Value = "timestamp",
                path: Value = "path",
                anonymous_id: Value = "anonymousId",
                anonymize: Value = "anonymizeVisitorIds",
                session_id: Value = "sessionId",
                $($own)*
            }
        }

        impl $crate::events::accept::spans::Span for $name<'_> {
            fn timestamp(&self) -> &$crate::events::accept::wire::Value<'_> {
                &self.timestamp
            }

            fn path(&self) -> &$crate::events::accept::wire::Value<'_> {
                &self.path
            }

            fn sender(&self) -> $crate::events::accept::spans::Sender<'_> {
                $crate::events::accept::spans::Sender {
                    event_id: &self.event_id,
                    anonymous_id: &self.anonymous_id,
                    anonymize: &self.anonymize,
                    session_id: &self.session_id,
                }
            }
        }
    };
}
pub(super) use span;

/// Who sent an event, as the event says.
pub(super) struct Sender<'a> {
    pub(super) event_id: &'a Value<'a>,
    pub(super) anonymous_id: &'a Value<'a>,
    pub(super) anonymize: &'a Value<'a>,
    pub(super) session_id: &'a Value<'a>,
}

impl Sender<'_> {
    /// Puts owner and visitor on an event.
    pub(super) fn stamp(
        &self,
        mut event: Event,
        visit: &SenderContext,
        target: &Target<'_>,
        check: &mut Check,
    ) -> Accepted {
        event.organization = target.access.organization().0;
        event.website = target.access.website().0;
        let event_id = check.text("eventId", self.event_id, EVENT_ID);
        let anonymous = check.text("anonymousId", self.anonymous_id, ID);
        let session = check.text("sessionId", self.session_id, ID);
        let identity = Identity {
            anonymous: anonymous.as_deref().unwrap_or_default(),
            session: session.as_deref().unwrap_or_default(),
            anonymize: check.anonymize(self.anonymize),
        };
        visit.stamp(&mut event, identity);
        Accepted { event, event_id }
    }
}
