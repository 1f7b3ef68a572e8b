//! Whether cells of two engines mean the same.

use crate::events::statement::Cell;

/// How far apart numbers may lie, relative to their size, that engines add up in another order.
const TOLERANCE: f64 = 1e-12;

/// Whether two engines mean the same: numbers whatever their type, truth as 0 and 1, no list as an empty one.
pub(super) fn same(one: &Cell, other: &Cell) -> bool {
    match (one, other) {
        (Cell::Null, Cell::List(list)) | (Cell::List(list), Cell::Null) => list.is_empty(),
        (Cell::List(one), Cell::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Cell::Struct(one), Cell::Struct(other)) => {
            let mut fields = one.iter().zip(other);
            one.len() == other.len()
                && fields.all(|(one, other)| one.0 == other.0 && same(&one.1, &other.1))
        }
        (Cell::Float(_), _) | (_, Cell::Float(_)) => match (number(one), number(other)) {
            (Some(one), Some(other)) => {
                (one - other).abs() <= TOLERANCE * one.abs().max(other.abs())
            }
            _ => false,
        },
        _ => match (whole(one), whole(other)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one == other,
            _ => false,
        },
    }
}

/// A cell as a whole number, if it is one.
pub(super) fn whole(cell: &Cell) -> Option<i128> {
    match cell {
        Cell::Int(whole) => Some((*whole).into()),
        Cell::Hash(whole) => Some((*whole).into()),
        Cell::Bool(truth) => Some((*truth).into()),
        _ => None,
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Float(number) => Some(*number),
        other => whole(other).map(|whole| whole as f64),
    }
}
