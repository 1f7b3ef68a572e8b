//! File descriptors: as many as the system allows, divided between connections and everything else.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors kept for the stores, the log, and connections that the program opens itself.
const RESERVE: u64 = 512;
/// Connections of a listener where the operator names no number.
const USUAL_CONNECTIONS: u64 = 8_192;
const LISTENERS: u64 = 3;

/// Raises the limit of open files to what the process may have; gives it back.
pub(super) fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let current = maximum;
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current, maximum }) {
            tracing::warn!(%error, "the limit of open files cannot be raised");
        }
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many connections each listener takes: those that are `wanted`, or the usual number where that is 0, as far as the
/// limit of open files leaves enough for everything else.
pub(super) fn connections(limit: u64, wanted: u32) -> usize {
    let room = (limit - RESERVE.min(limit / 2)) / LISTENERS;
    if u64::from(wanted) > room {
        tracing::warn!(
            limit,
            connections = room,
            "the limit of open files allows fewer connections than `server.max_connections`"
        );
    }
    let wanted = match wanted {
        0 => USUAL_CONNECTIONS,
        wanted => wanted.into(),
    };
    wanted.min(room).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_everything_else() {
        for (limit, wanted, expected) in [
            (1 << 20, 0, 8_192),
            (1 << 20, 100, 100),
            (1_024, 0, 170),
            (256, 0, 42),
            (256, 9_000, 42),
            (0, 0, 1),
        ] {
            assert_eq!(connections(limit, wanted), expected, "{limit} {wanted}");
        }
    }
}
