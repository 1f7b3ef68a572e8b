//! A load generator for any HTTP server: seeded, bounded, and honest about what it measured.
//!
//! It sends what ordinary callers of such servers send ([`shape`]) over connections that are kept alive
//! ([`connection`]), either as fast as answers come or at a given rate ([`drive`]). At a rate, a time counts from the
//! moment when the request was due, so a server that stalls cannot hide it by being asked less. Two targets are
//! loaded in turns, so other work of the machine hits both.
//!
//! Knows nothing of the rest of the program; the same seed sends the same requests in the same order.

mod connection;
mod drive;
mod measured;
mod random;
mod shape;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Serialize;

pub use connection::{Address, NoAddress};
pub use measured::Measurement;
pub use shape::{Shape, Words};

/// What is sent to one server.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it listens, and what is in front of every path.
    pub address: Address,
    pub shape: Shape,
    /// What requests are filled in with.
    pub words: Words,
}

/// How much is sent.
#[derive(Debug, Clone, Copy)]
pub struct Amount {
    /// Connections, each with one request at a time.
    pub connections: usize,
    /// Requests per second of all connections together; 0 = as many as are answered.
    pub rate: u32,
    /// How long a round is.
    pub time: Duration,
    /// Rounds for each target.
    pub rounds: u32,
    /// Where the made-up visitors and pages begin.
    pub seed: u64,
}

/// What came of loading one target, or two in turns.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Every round of the target.
    pub rounds: Vec<Measurement>,
    /// Every round of the other one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Measurement>,
    /// Successful requests a second of the target over the other's, the median of pairs of rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Loads a target, and another in turns with it when there is one. `report` gets every round that is done: which of
/// the two it was, from 0, and what was measured.
///
/// # Errors
/// A server that cannot be reached at all.
pub async fn run(
    target: &Target,
    against: Option<&Target>,
    amount: Amount,
    mut report: impl FnMut(usize, &Measurement),
) -> std::io::Result<Outcome> {
    for target in std::iter::once(target).chain(against) {
        connection::Connection::open(&target.address).await?;
    }
    let (mut rounds, mut others) = (Vec::new(), Vec::new());
    for round in 0..amount.rounds {
        let mut both = vec![(0, target)];
        both.extend(against.map(|target| (1, target)));
        // Who is first is last the next time: whatever grows meanwhile grows for both.
        if round % 2 == 1 {
            both.reverse();
        }
        for (which, target) in both {
            let measured = drive::round(target, amount, u64::from(round)).await;
            report(which, &measured);
            [&mut rounds, &mut others][which].push(measured);
        }
    }
    let ratio = ratio(&rounds, &others);
    Ok(Outcome {
        rounds,
        against: others,
        ratio,
    })
}

/// The median of pairs; `None` when nothing was compared or nothing succeeded.
fn ratio(rounds: &[Measurement], others: &[Measurement]) -> Option<f64> {
    let pairs = rounds.iter().zip(others);
    let mut ratios: Vec<f64> = pairs
        .filter(|(_, other)| other.good_per_second > 0.0)
        .map(|(one, other)| one.good_per_second / other.good_per_second)
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}
