//! Numbers of cells, and as they are shown.

use serde_json::{Value, json};

use crate::events::statement::Cell;

/// Whole numbers that fit; whole floats too, since engines widen sums.
pub(super) fn int(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Int(whole) => Some(*whole),
        Cell::Hash(whole) => i64::try_from(*whole).ok(),
        Cell::Float(number) => Some(*number as i64),
        _ => None,
    }
}

/// Rounded half away from zero; a whole result is written without a fraction.
pub(super) fn rounded(number: f64, decimals: u8) -> Value {
    let factor = 10_f64.powi(i32::from(decimals));
    let result = (number * factor).round() / factor;
    if result.fract() == 0.0 && result.abs() < 1e15 {
        json!(result as i64)
    } else {
        json!(result)
    }
}
