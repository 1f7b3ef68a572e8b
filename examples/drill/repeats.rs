//! F12: every id is sent one to five times, over three connections, with kills in between; each is there once, at once.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::task::JoinSet;

use crate::{
    Setting,
    client::{send_once, until},
    ledger::Ledger,
    program::House,
    report::Report,
};

const CONNECTIONS: usize = 3;
/// Ids of a request.
const BATCH: usize = 20;
const PATIENCE: Duration = Duration::from_mins(10);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F12 repeated ids");
    let ids: u64 = if setting.long { 50_000 } else { 3_000 };
    let kills = setting.times(4, 25);
    let house = Arc::new(House::new(
        setting,
        None,
        &[("PHAROS_DRILL_SEAL_ROWS", "400")],
    )?);
    let ledger = Arc::new(Ledger::default());
    ledger.take(ids);
    // Each id one to five times, its repetitions far and near.
    let mut sends: Vec<u64> = (0..ids)
        .flat_map(|id| std::iter::repeat_n(id, 1 + (id * 7 % 5) as usize))
        .collect();
    shuffle(&mut sends);
    let total = sends.len();
    let queue = Arc::new(Mutex::new(
        sends
            .chunks(BATCH)
            .map(<[u64]>::to_vec)
            .collect::<VecDeque<_>>(),
    ));
    let left = || queue.lock().unwrap_or_else(PoisonError::into_inner).len();
    let all = left();
    let work = || {
        let (house, ledger, queue) = (&house, &ledger, &queue);
        let mut tasks = JoinSet::new();
        for _ in 0..CONNECTIONS {
            tasks.spawn(work(
                Arc::clone(house),
                Arc::clone(ledger),
                Arc::clone(queue),
            ));
        }
        tasks
    };
    for kill in 1..=kills as usize {
        let running = house.start().await?;
        let tasks = work();
        let goal = all - all * kill / (kills as usize + 1);
        let reached = async || Ok(left() <= goal);
        until("the next kill's turn", PATIENCE, reached).await?;
        running.kill()?;
        tasks.join_all().await;
        if setting.sabotage {
            house.forget_ids()?;
        }
    }
    let running = house.start().await?;
    work().join_all().await;
    let stored = ledger.stored(&house).await?.rows;
    report.check(stored.len() as u64 == ids, || {
        format!("{} of {ids} ids are there", stored.len())
    });
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    report.figure(format!("{ids} ids sent {total} times, {kills} kills"));
    Ok(report)
}

/// Sends what is in the queue; what nobody answered goes back.
async fn work(house: Arc<House>, ledger: Arc<Ledger>, queue: Arc<Mutex<VecDeque<Vec<u64>>>>) {
    let next = || {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.pop_front()
    };
    while let Some(ids) = next() {
        let answer = send_once(&house, &ledger, &ids).await;
        if !matches!(answer, Some((200, _))) {
            queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_back(ids);
        }
        if answer.is_none() {
            return;
        }
    }
}

/// The same disorder every time.
fn shuffle(numbers: &mut [u64]) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..numbers.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers.swap(at, (state % (at as u64 + 1)) as usize);
    }
}
