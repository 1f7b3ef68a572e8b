//! A model of [`super::thread`]: every order in which two nodes claim, record, send and confirm batches that share an id, die and
//! start again, while the claims may be lost (drill F25).
//!
//! The checker also runs without a journal, to prove that it notices.

use stateright::{Checker, Model, Property};

const NODES: usize = 2;
const IDS: usize = 3;
/// The ids that each node was sent.
const BATCHES: [Own; NODES] = [[true, true, false], [false, true, true]];
/// Times that nodes die, all together.
const DEATHS: u8 = 2;

/// Ids of a batch that are the node's own.
type Own = [bool; IDS];

/// How far a node is with its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Closed,
    Claimed(Own),
    Recorded(Own),
    Sent(Own),
    Noted,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    deaths: u8,
    /// Whether the claims may be forgotten yet, and whether they were.
    forgotten: bool,
    claims: [Option<usize>; IDS],
    nodes: [At; NODES],
    /// What ClickHouse got under the name of each node's batch: the first time counts.
    stored: [Option<Own>; NODES],
    /// Whether it ever got something else under the same name.
    changed: bool,
}

impl World {
    fn is_over(&self) -> bool {
        self.nodes == [At::Noted; NODES]
    }

    fn claim(&mut self, node: usize) -> Own {
        let mut own = BATCHES[node];
        for (id, own) in own.iter_mut().enumerate().filter(|(_, own)| **own) {
            *own = *self.claims[id].get_or_insert(node) == node;
        }
        own
    }

    /// In how many batches an id is stored.
    fn rows(&self, id: usize) -> usize {
        let batches = self.stored.iter().flatten();
        batches.filter(|own| own[id]).count()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The node takes its next step.
    Go(usize),
    Die(usize),
    /// The claims are lost.
    Forget,
}

struct Shipper {
    has_journal: bool,
    may_forget: bool,
}

impl Model for Shipper {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World {
            deaths: 0,
            forgotten: !self.may_forget,
            claims: [None; IDS],
            nodes: [At::Closed; NODES],
            stored: [None; NODES],
            changed: false,
        }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        for node in 0..NODES {
            if world.nodes[node] != At::Noted {
                steps.push(Step::Go(node));
            }
            if world.deaths < DEATHS {
                steps.push(Step::Die(node));
            }
        }
        if !world.forgotten {
            steps.push(Step::Forget);
        }
    }

    fn next_state(&self, before: &World, step: Step) -> Option<World> {
        let mut world = before.clone();
        match step {
            Step::Forget => {
                world.forgotten = true;
                world.claims = [None; IDS];
            }
            Step::Die(node) => {
                world.deaths += 1;
                world.nodes[node] = match world.nodes[node] {
                    At::Recorded(own) | At::Sent(own) if self.has_journal => At::Recorded(own),
                    At::Noted => At::Noted,
                    _ => At::Closed,
                };
            }
            Step::Go(node) => {
                world.nodes[node] = match world.nodes[node] {
                    At::Closed => At::Claimed(world.claim(node)),
                    At::Claimed(own) => At::Recorded(own),
                    At::Recorded(own) => {
                        world.changed |= *world.stored[node].get_or_insert(own) != own;
                        At::Sent(own)
                    }
                    At::Sent(_) | At::Noted => At::Noted,
                };
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("nothing is lost", |_, world: &World| {
                !world.is_over() || (0..IDS).all(|id| world.rows(id) > 0)
            }),
            Property::always("nothing is stored twice", |model: &Self, world: &World| {
                model.may_forget || (0..IDS).all(|id| world.rows(id) <= 1)
            }),
            Property::always("a name stands for the same rows", |_, world: &World| {
                !world.changed
            }),
            Property::sometimes("either has what both were sent", |_, world: &World| {
                world.is_over() && world.stored[0].is_some_and(|own| own[1])
            }),
            Property::sometimes("or the other", |_, world: &World| {
                world.is_over() && world.stored[1].is_some_and(|own| own[1])
            }),
        ]
    }
}

#[test]
fn an_id_of_several_nodes_is_stored_once_in_every_order() {
    for may_forget in [false, true] {
        let shipper = Shipper {
            has_journal: true,
            may_forget,
        };
        shipper.checker().spawn_bfs().join().assert_properties();
    }
}

#[test]
fn without_a_journal_a_name_stands_for_other_rows() {
    let shipper = Shipper {
        has_journal: false,
        may_forget: true,
    };
    let checked = shipper.checker().spawn_bfs().join();
    let found = checked.discovery("a name stands for the same rows");
    assert!(found.is_some());
}
