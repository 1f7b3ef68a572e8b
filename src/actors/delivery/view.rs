//! What readers see of deliveries.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryView {
    /// Deliveries that will be tried, again or for the first time.
    pub waiting: u64,
    pub dead: u64,
}
