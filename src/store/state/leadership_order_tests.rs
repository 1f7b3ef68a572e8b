//! Every order in which processes can ask for the lease, pause, die and write, at small bounds (drill F25): what runs by the
//! clock is done once. `leadership` is what this is a model of, and takes the same steps in the same order.
//!
//! The checker is asked about weakened processes as well, so it is known to notice.

use stateright::{Checker, Model, Property};

/// Processes, each with a data directory of its own.
const PROCESSES: usize = 2;
/// Things that are to be done once, in this order.
const SLOTS: u8 = 2;
/// How long a lease lasts, and how far the time goes, in ticks.
const LEASE: u8 = 2;
const END: u8 = 5;
/// Times that processes die, all together.
const DEATHS: u8 = 1;

/// What a process may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weakness {
    None,
    /// Its owner writes.
    NoFence,
    /// Its first reading does not wait for a write that is under way.
    NoLock,
}

/// The lease as the database has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Lease {
    owner: usize,
    fence: u8,
    until: u8,
}

/// What a process is doing beside asking for the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Doing {
    Nothing,
    /// It has done the slot, and has not said so yet.
    Done(u8),
    /// It holds the lock and has looked at the fence; its write is not committed.
    Writing(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Process {
    /// Whether it has not asked yet.
    fresh: bool,
    /// Fence and end of the lease that it believes to have.
    held: Option<(u8, u8)>,
    /// When it asked for the lease, while the answer is on its way: the fence that the database gave.
    asked: Option<(u8, Option<u8>)>,
    /// The next slot as it has read it, since it took the lease over.
    next: Option<u8>,
    doing: Doing,
}

const NEW: Process = Process {
    fresh: true,
    held: None,
    asked: None,
    next: None,
    doing: Doing::Nothing,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    now: u8,
    deaths: u8,
    lease: Option<Lease>,
    /// Whether a write is under way.
    lock: bool,
    /// The slot of one whose process is dead.
    orphan: Option<u8>,
    /// How often each slot was written down as done.
    written: [u8; SLOTS as usize],
    processes: [Process; PROCESSES],
}

impl World {
    /// The first slot that is not written down.
    fn next(&self) -> u8 {
        self.written.iter().filter(|times| **times > 0).count() as u8
    }

    fn is_leader(&self, at: usize) -> bool {
        let Process { held, next, .. } = self.processes[at];
        held.is_some_and(|(_, until)| self.now < until) && next.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Time passes.
    Tick,
    /// The process's question reaches the database.
    Ask(usize),
    /// The answer reaches the process, or is lost.
    Hear(usize),
    Lose(usize),
    /// It reads what the one before has written.
    Read(usize),
    /// It does the next slot.
    Do(usize),
    /// It takes the lock and looks at the fence.
    Begin(usize),
    Commit(usize),
    /// It dies, and starts anew in its directory.
    Die(usize),
    /// The database ends the write of a dead process, one way or the other.
    End {
        committed: bool,
    },
}

struct Leadership(Weakness);

impl Leadership {
    fn ask(world: &mut World, at: usize) {
        let process = &mut world.processes[at];
        let fresh = std::mem::take(&mut process.fresh);
        let until = world.now + LEASE;
        let given = match (process.held, world.lease) {
            (Some((fence, _)), Some(lease)) if (lease.owner, lease.fence) == (at, fence) => {
                Some(fence)
            }
            (None, None) => Some(1),
            // A process in the directory of the owner need not wait.
            (None, Some(lease)) if lease.until < world.now || fresh && lease.owner == at => {
                Some(lease.fence + 1)
            }
            _ => None,
        };
        process.asked = Some((world.now, given));
        if let Some(fence) = given {
            world.lease = Some(Lease {
                owner: at,
                fence,
                until,
            });
        }
    }

    fn hear(process: &mut Process) -> Option<()> {
        let (asked, given) = process.asked.take()?;
        if process.held.map(|(fence, _)| fence) != given {
            process.next = None;
        }
        process.held = given.map(|fence| (fence, asked + LEASE));
        Some(())
    }

    fn lose(process: &mut Process) -> Option<()> {
        let (asked, _) = process.asked.take()?;
        process.held = process.held.map(|(fence, _)| (fence, asked + LEASE));
        Some(())
    }

    fn read(&self, world: &mut World, at: usize) -> Option<()> {
        let is_due = world.processes[at].held.is_some() && world.processes[at].next.is_none();
        let may = !world.lock || self.0 == Weakness::NoLock;
        let next = world.next();
        (is_due && may).then(|| world.processes[at].next = Some(next))
    }

    fn act(world: &mut World, at: usize) -> Option<()> {
        let slot = world.processes[at].next.filter(|slot| *slot < SLOTS)?;
        let free = world.processes[at].doing == Doing::Nothing && world.is_leader(at);
        free.then(|| world.processes[at].doing = Doing::Done(slot))
    }

    fn begin(&self, world: &mut World, at: usize) -> Option<()> {
        let Doing::Done(slot) = world.processes[at].doing else {
            return None;
        };
        if world.lock {
            return None;
        }
        let lease = world.lease.map(|lease| (lease.owner, lease.fence));
        let held = world.processes[at].held.map(|(fence, _)| (at, fence));
        if self.0 == Weakness::NoFence || held.is_some() && lease == held {
            world.lock = true;
            world.processes[at].doing = Doing::Writing(slot);
        } else {
            world.processes[at].doing = Doing::Nothing;
        }
        Some(())
    }

    fn commit(world: &mut World, at: usize) -> Option<()> {
        let Doing::Writing(slot) = world.processes[at].doing else {
            return None;
        };
        world.lock = false;
        world.written[usize::from(slot)] += 1;
        let process = &mut world.processes[at];
        process.doing = Doing::Nothing;
        process.next = process.next.map(|_| slot + 1);
        Some(())
    }
}

impl Model for Leadership {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World {
            now: 0,
            deaths: 0,
            lease: None,
            lock: false,
            orphan: None,
            written: [0; SLOTS as usize],
            processes: [NEW; PROCESSES],
        }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        if world.now < END {
            steps.push(Step::Tick);
        }
        if world.orphan.is_some() {
            steps.extend([true, false].map(|committed| Step::End { committed }));
        }
        for at in 0..PROCESSES {
            match world.processes[at].asked {
                None => steps.push(Step::Ask(at)),
                Some(_) => steps.extend([Step::Hear(at), Step::Lose(at)]),
            }
            steps.extend([
                Step::Read(at),
                Step::Do(at),
                Step::Begin(at),
                Step::Commit(at),
            ]);
            if world.deaths < DEATHS {
                steps.push(Step::Die(at));
            }
        }
    }

    fn next_state(&self, before: &World, step: Step) -> Option<World> {
        let mut world = before.clone();
        match step {
            Step::Tick => world.now += 1,
            Step::Ask(at) => Self::ask(&mut world, at),
            Step::Hear(at) => Self::hear(&mut world.processes[at])?,
            Step::Lose(at) => Self::lose(&mut world.processes[at])?,
            Step::Read(at) => self.read(&mut world, at)?,
            Step::Do(at) => Self::act(&mut world, at)?,
            Step::Begin(at) => self.begin(&mut world, at)?,
            Step::Commit(at) => Self::commit(&mut world, at)?,
            Step::Die(at) => {
                world.deaths += 1;
                if let Doing::Writing(slot) = world.processes[at].doing {
                    world.orphan = Some(slot);
                }
                world.processes[at] = NEW;
            }
            Step::End { committed } => {
                let slot = world.orphan.take()?;
                world.lock = false;
                world.written[usize::from(slot)] += u8::from(committed);
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("once", |_, world: &World| {
                world.written.iter().all(|times| *times <= 1)
            }),
            Property::sometimes("all of it", |_, world: &World| {
                world.written.iter().all(|times| *times > 0)
            }),
            Property::sometimes("by more than one", |_, world: &World| {
                world.lease.is_some_and(|lease| lease.fence > 1) && world.next() == SLOTS
            }),
        ]
    }
}

fn checked(weakness: Weakness) -> impl Checker<Leadership> {
    Leadership(weakness).checker().spawn_bfs().join()
}

#[test]
fn what_runs_by_the_clock_is_done_once_in_every_order() {
    let checked = checked(Weakness::None);
    assert!(checked.unique_state_count() > 10_000);
    checked.assert_properties();
}

#[test]
fn without_a_fence_or_a_turn_it_is_done_twice() {
    for weakness in [Weakness::NoFence, Weakness::NoLock] {
        assert!(
            checked(weakness).discovery("once").is_some(),
            "{weakness:?}"
        );
    }
}
