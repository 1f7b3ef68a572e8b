//! Unleash: tokens of servers. Its clients ask for flags (`actors::flags::protocols`) and send no events.

use super::{Adapter, SuggestedId};

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Unleash",
    suggested_id: SuggestedId::Key("*:default."),
    ..Adapter::WITHOUT_EVENTS
};
