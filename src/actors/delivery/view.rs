//! What readers see of deliveries.

/// How the outbox stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryView {
    /// Parcels that will be tried, again or for the first time.
    pub waiting: u64,
    /// Parcels that were given up.
    pub dead: u64,
}
