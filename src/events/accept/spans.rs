//! Arrays that are taken as a whole or not at all: vitals, errors, engagement spans, events in the older form.

use super::{
    Context,
    field::{Check, EVENT_ID, ID},
    invalid,
    wire::{self, Fields, Item, Value},
};
use crate::{
    events::{enrich::Identity, event::Event, store::Accepted},
    fault::{Fault, Issue},
};

/// Reads an array, each object by `event`.
pub(super) fn accept<'b, T: Fields<'b>>(
    bytes: &'b [u8],
    context: &Context<'_>,
    event: impl Fn(&T, &Context<'_>, &mut Check) -> Accepted,
) -> Result<Vec<Accepted>, Fault> {
    let received = context.visit.received;
    let wire::Body::Many(items) = wire::read::<T>(bytes)? else {
        let message = "Expected an array of objects";
        return Err(invalid(vec![Issue::new("invalid_type", "", message)]));
    };
    let mut all = Check::new(None, received);
    let mut accepted = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let mut check = Check::new(Some(index), received);
        match item {
            Item::Object(object) => {
                accepted.push(event(&object, context, &mut check));
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

/// What every kind of span says about who sent it.
pub(super) struct Sender<'a> {
    pub(super) event_id: &'a Value<'a>,
    pub(super) anonymous_id: &'a Value<'a>,
    pub(super) anonymize: &'a Value<'a>,
    pub(super) session_id: &'a Value<'a>,
}

/// Puts owner and visitor on an event.
pub(super) fn finish(
    mut event: Event,
    sender: &Sender<'_>,
    context: &Context<'_>,
    check: &mut Check,
) -> Accepted {
    event.organization = context.target.access.organization().0;
    event.website = context.target.access.website().0;
    let event_id = check.text("eventId", sender.event_id, EVENT_ID);
    let anonymous = check.text("anonymousId", sender.anonymous_id, ID);
    let session = check.text("sessionId", sender.session_id, ID);
    let identity = Identity {
        anonymous: anonymous.as_deref().unwrap_or_default(),
        session: session.as_deref().unwrap_or_default(),
        anonymize: check.anonymize(sender.anonymize),
    };
    context.visit.stamp(&mut event, identity);
    Accepted { event, event_id }
}
