//! What numbers mean: whether a change is more than chance, and which values of a series do not belong.
//!
//! Pure functions of numbers; nothing here asks the store. Counts of independent happenings scatter by the square root of
//! themselves (Poisson), and nothing that is smaller than that is called a change or an anomaly.

pub mod anomalies;
pub mod change;
