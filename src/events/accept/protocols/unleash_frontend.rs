//! Unleash: tokens of browsers, which read decisions and no rules.

use super::{Adapter, unleash};

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Unleash frontend",
    ..unleash::ADAPTER
};
