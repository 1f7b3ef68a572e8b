//! Arrays that are taken as a whole or not at all: vitals and errors.

use super::{
    Context,
    field::Check,
    invalid,
    wire::{self, Fields, Item},
};
use crate::{
    events::store::Accepted,
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
