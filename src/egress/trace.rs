//! How long each step took.

use std::{net::IpAddr, time::Duration};

use tokio::time::Instant;

use super::Certificate;

/// A step on the way to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Phase {
    Dns,
    Tcp,
    Tls,
    /// From the request to the first byte of the answer.
    Ttfb,
    /// From the first byte to the last.
    Transfer,
}

impl Phase {
    pub const ALL: [Self; 5] = [Self::Dns, Self::Tcp, Self::Tls, Self::Ttfb, Self::Transfer];

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// What was seen on the way, as far as it went. Phases are summed over redirects, and add up to the whole time: each begins
/// where the one before it ended.
#[derive(Debug, Clone)]
pub struct Trace {
    phases: [Duration; 5],
    /// The end of the phase before, and the phase that has begun.
    at: Instant,
    now: Phase,
    /// The address that was reached last.
    pub address: Option<IpAddr>,
    pub redirects: u32,
    /// Bytes of bodies that came in.
    pub bytes: u64,
    /// The certificate that was seen last.
    pub certificate: Option<Certificate>,
    /// Who has signed that one, how many certificates came with it, and how many signed certificate timestamps it holds.
    pub issuer: Option<String>,
    pub intermediates: u32,
    pub scts: u32,
}

impl Trace {
    pub fn begin() -> Self {
        Self {
            phases: [Duration::ZERO; 5],
            at: Instant::now(),
            now: Phase::Dns,
            address: None,
            redirects: 0,
            bytes: 0,
            certificate: None,
            issuer: None,
            intermediates: 0,
            scts: 0,
        }
    }

    /// A trace of something that took so long and had no phases; all of it counts as transfer.
    pub fn lasting(time: Duration) -> Self {
        let mut phases = [Duration::ZERO; 5];
        phases[Phase::Transfer as usize] = time;
        Self::measured(phases)
    }

    /// A trace whose phases were measured elsewhere. What follows counts as transfer.
    pub fn measured(phases: [Duration; 5]) -> Self {
        let mut trace = Self::begin();
        trace.phases = phases;
        trace.now = Phase::Transfer;
        trace
    }

    /// Says which phase begins now; the one before it has ended.
    pub fn enter(&mut self, phase: Phase) {
        self.enter_at(phase, Instant::now());
    }

    /// [`Trace::enter`] at another moment, which is not before the phase's own beginning.
    pub(super) fn enter_at(&mut self, phase: Phase, at: Instant) {
        self.phases[self.now as usize] += at.saturating_duration_since(self.at);
        self.at = at.max(self.at);
        self.now = phase;
    }

    /// Whether an answer has begun.
    pub(super) fn is_answering(&self) -> bool {
        self.now == Phase::Transfer
    }

    /// Ends the phase that runs.
    pub fn end(&mut self) {
        self.enter(self.now);
    }

    /// Takes from the transfer what pharos itself needed meanwhile.
    pub fn deduct(&mut self, time: Duration) {
        let transfer = &mut self.phases[Phase::Transfer as usize];
        *transfer = transfer.saturating_sub(time);
    }

    /// How long a phase took, all redirects together.
    pub fn phase(&self, phase: Phase) -> Duration {
        self.phases[phase as usize]
    }

    pub fn total(&self) -> Duration {
        self.phases.iter().sum()
    }

    /// The time until the first byte of the last answer; the whole time when none came.
    pub fn first_byte(&self) -> Duration {
        self.phases[..Phase::Transfer as usize].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn phases_add_up_over_redirects() {
        let mut trace = Trace::begin();
        let mut at = trace.at;
        for (next, ms) in [
            (Phase::Tcp, 1),
            (Phase::Ttfb, 2),
            (Phase::Dns, 3),
            (Phase::Tcp, 10),
            (Phase::Tls, 20),
            (Phase::Ttfb, 30),
            (Phase::Transfer, 40),
            (Phase::Transfer, 50),
        ] {
            at += MS * ms;
            trace.enter_at(next, at);
        }
        let phases = Phase::ALL.map(|phase| trace.phase(phase).as_millis());
        assert_eq!(phases, [11, 22, 30, 43, 50]);
        assert_eq!(trace.total().as_millis(), 156);
        assert_eq!(trace.first_byte().as_millis(), 106);
    }

    #[test]
    fn only_the_transfer_is_reduced() {
        let mut trace = Trace::measured([MS, MS, MS, MS, 5 * MS]);
        trace.deduct(2 * MS);
        assert_eq!(trace.total(), 7 * MS);
        trace.deduct(9 * MS);
        assert_eq!(trace.total(), 4 * MS);
    }

    #[test]
    fn phases_are_named_in_their_order() {
        let names = Phase::ALL.map(Phase::as_str);
        assert_eq!(names, ["dns", "tcp", "tls", "ttfb", "transfer"]);
    }

    #[test]
    fn a_moment_before_the_phase_counts_nothing() {
        let mut trace = Trace::begin();
        let begun = trace.at;
        trace.enter_at(Phase::Tcp, begun + 5 * MS);
        trace.enter_at(Phase::Transfer, begun);
        trace.enter_at(Phase::Transfer, begun + 7 * MS);
        assert_eq!(trace.total(), 7 * MS);
        assert_eq!(trace.phase(Phase::Transfer), 2 * MS);
    }
}
