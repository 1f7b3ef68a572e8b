//! What readers see of deliveries.

/// How the outbox stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryView {
    /// Deliveries that will be tried, again or for the first time.
    pub waiting: u64,
    /// Deliveries that were given up.
    pub dead: u64,
}
