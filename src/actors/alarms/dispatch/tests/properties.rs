use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Minutes that pass, and the subjects that change.
type Story = Vec<(i64, Vec<usize>)>;

fn history() -> impl Strategy<Value = Story> {
    let subjects = prop::collection::btree_set(0_usize..3, 0..3);
    let subjects = subjects.prop_map(|all: BTreeSet<usize>| all.into_iter().collect::<Vec<_>>());
    prop::collection::vec((1_i64..400, subjects), 0..50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_held_alert_is_delivered_or_dropped_once(
        history in history(), is_quiet in any::<bool>(), messages in prop::option::of(1_u32..3)
    ) {
        let mut to = destination("to");
        to.endpoint.routing.quiet_hours = is_quiet.then(night);
        to.endpoint.routing.rate_limit = messages.map(|messages| RateLimit { messages, minutes: 90 });
        let mut replay = Replay::new(vec![to]);
        // What fires, what the destination believes, and whether a beginning waits.
        let (mut firing, mut believed, mut held) = ([false; 3], [false; 3], [false; 3]);
        let (mut dropped, mut missed) = (0, 0);
        let end = (0..20).map(|_| (200, Vec::new()));
        for (minutes, changes) in history.into_iter().chain(end) {
            let mut signals = Vec::new();
            for nth in changes {
                firing[nth] = !firing[nth];
                signals.push((NAMES[nth], if firing[nth] { Signal::Fired } else { Signal::Resolved }));
                if firing[nth] {
                    held[nth] = !believed[nth];
                } else if held[nth] {
                    held[nth] = false;
                    dropped += 1;
                }
            }
            for message in replay.after(minutes, &signals) {
                let hour = (replay.now_ms - MONDAY) / (60 * MINUTE) % 24;
                prop_assert!(!is_quiet || (7..22).contains(&hour), "sent at {}", hour);
                missed += message.missed;
                for alert in &message.alerts {
                    let nth = NAMES.iter().position(|name| *name == alert.subject).unwrap();
                    match message.signal {
                        Some(Signal::Fired) => prop_assert!(held[nth] && !believed[nth]),
                        _ => prop_assert!(believed[nth] && !firing[nth]),
                    }
                    believed[nth] = message.signal == Some(Signal::Fired);
                    held[nth] = false;
                }
            }
            if let Some(most) = messages {
                let sent = replay.sent.values().flatten();
                let recent = sent.filter(|at| **at > replay.now_ms - 90 * MINUTE).count();
                prop_assert!(recent <= most as usize);
            }
        }
        prop_assert_eq!(believed, firing);
        prop_assert_eq!(held, [false; 3]);
        prop_assert!(replay.is_settled());
        // Without quiet hours, which drop what is over, every dropped alert is in a summary.
        prop_assert!(missed <= dropped && (is_quiet || missed == dropped));
    }
}
