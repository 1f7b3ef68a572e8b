//! The actor: it evaluates every alarm once a second.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use actix::{ActorContext, ActorFutureExt, AsyncContext, Context, fut};

use super::{
    Alarm, AlarmError, AlarmsView,
    conditions::Conditions,
    env::AlarmsEnv,
    evaluate::{EvaluatedAlarm, evaluate},
    model::{self, Instances},
    notice,
    observations::{self, Observation},
    queries::{self, Scope},
    repo,
};
use crate::{
    actors::{
        delivery::{self, Delivery},
        kit::{Domain, Live, UnknownOutcome},
    },
    ids::AlarmId,
    store::StateDb,
};

const TICK: Duration = Duration::from_secs(1);
/// How often an alarm queries the event store, milliseconds.
const QUERY_MS: i64 = 60_000;
const MAX_QUERIES: usize = 4;
/// How far back receivers that answered 410 are looked for at start, milliseconds.
const LOOK_BACK_MS: i64 = 7 * 86_400_000;

pub struct Alarms {
    pub(super) env: AlarmsEnv,
    pub(super) view: Arc<AlarmsView>,
    /// The last results of queries.
    answers: HashMap<AlarmId, Observation>,
    /// When the next queries are due, Unix milliseconds.
    due: HashMap<AlarmId, i64>,
    asking: HashSet<AlarmId>,
    /// Up to when receivers that answered 410 were handled, Unix milliseconds.
    gone_ms: i64,
}

impl Domain for Alarms {
    const NAME: &'static str = "alarms";
    type Env = AlarmsEnv;
    type View = AlarmsView;

    async fn boot(env: AlarmsEnv) -> anyhow::Result<Self> {
        let mut view = AlarmsView {
            alarms: HashMap::new(),
            instances: HashMap::new(),
            env: env.clone(),
        };
        for (alarm, instances) in repo::load_all(&env).await? {
            view.instances.insert(alarm.id.clone(), Arc::new(instances));
            view.alarms.insert(alarm.id.clone(), Arc::new(alarm));
        }
        Ok(Self {
            gone_ms: env.clock.now_ms() - LOOK_BACK_MS,
            env,
            view: Arc::new(view),
            answers: HashMap::new(),
            due: HashMap::new(),
            asking: HashSet::new(),
        })
    }

    fn view(&self) -> Arc<AlarmsView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &AlarmsEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn reread(&mut self, fresh: Self) {
        // Results of a changed alarm are outdated.
        let same = |id: &AlarmId| {
            let updated_ms = |view: &AlarmsView| Some(view.alarms.get(id)?.updated_ms);
            updated_ms(&self.view) == updated_ms(&fresh.view)
        };
        self.answers.retain(|id, _| same(id));
        self.due.retain(|id, _| same(id));
        self.view = fresh.view;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(TICK, Live::tick);
    }
}

#[derive(Debug, Default)]
struct Round {
    after: Vec<(Arc<Alarm>, EvaluatedAlarm, bool)>,
    disabled: Vec<Arc<Alarm>>,
    gone_ms: i64,
}

impl Alarms {
    /// Keeps the result of a query, unless the alarm has changed in the meantime.
    fn take_answer(
        &mut self,
        id: AlarmId,
        updated_ms: i64,
        outcome: Result<Observation, AlarmError>,
    ) {
        self.asking.remove(&id);
        let current = self.view.by_id(id.as_str());
        if current.is_none_or(|alarm| alarm.updated_ms != updated_ms) {
            return;
        }
        match outcome {
            Ok(seen) => {
                self.answers.insert(id, seen);
            }
            Err(error) => tracing::warn!(%error, alarm.id = %id, "an alarm cannot be evaluated"),
        }
    }

    pub(super) fn reset(&mut self, id: &AlarmId) {
        self.answers.remove(id);
        self.due.remove(id);
        Arc::make_mut(&mut self.view).instances.remove(id);
    }

    /// Evaluates every enabled alarm; returns those that change. The flag says whether the change is stored.
    fn evaluate_all(&self, now_ms: i64) -> Vec<(Arc<Alarm>, EvaluatedAlarm, bool)> {
        let (monitors, organizations) = (self.env.monitors.view(), self.env.organizations.view());
        let alarms = self.view.alarms.values();
        let live = alarms
            .filter(|alarm| alarm.fields.enabled && organizations.is_live(&alarm.organization));
        let evaluated = live.filter_map(|alarm| {
            let seen = match observations::observe_monitors(alarm, &monitors, now_ms) {
                Some(seen) => seen,
                None => vec![self.answers.get(&alarm.id)?.clone()],
            };
            let none = Arc::new(Instances::new());
            let before = self.view.instances.get(&alarm.id).unwrap_or(&none);
            let after = evaluate(alarm, before, seen, now_ms);
            if after.instances == **before {
                return None;
            }
            // New evidence alone is kept in memory, but not stored.
            let stored = before.len() != after.instances.len()
                || model::changed(before, &after.instances).next().is_some();
            Some((Arc::clone(alarm), after, stored))
        });
        evaluated.collect()
    }

    fn adopt_round(&mut self, round: Round) {
        self.gone_ms = round.gone_ms;
        let view = Arc::make_mut(&mut self.view);
        for (alarm, after, _) in round.after {
            view.instances
                .insert(alarm.id.clone(), Arc::new(after.instances));
        }
        for alarm in round.disabled {
            view.alarms.insert(alarm.id.clone(), alarm);
        }
    }
}

impl Live<Alarms> {
    fn tick(&mut self, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        let now_ms = self.env.clock.now_ms();
        self.start_queries(now_ms, context);
        let round = Round {
            after: self.evaluate_all(now_ms),
            disabled: Vec::new(),
            gone_ms: self.gone_ms,
        };
        let (env, view) = (self.env.clone(), Arc::clone(&self.view));
        let written = async move { write(&env, &view, round, now_ms).await };
        context.wait(fut::wrap_future::<_, Self>(written).map(
            |written, live, context| match written {
                Ok(round) => {
                    live.adopt_round(round);
                    live.publish();
                }
                Err(error) if error.outcome_unknown() => {
                    tracing::error!(%error, "`alarms` stops: a write may or may not have happened");
                    context.stop();
                }
                Err(error) => tracing::warn!(%error, "alarms are evaluated again"),
            },
        ));
    }

    /// Starts the queries that are due.
    fn start_queries(&mut self, now_ms: i64, context: &mut Context<Self>) {
        let view = Arc::clone(&self.view);
        for alarm in view.alarms.values().filter(|alarm| alarm.fields.enabled) {
            let Conditions::Series(series) = alarm.conditions.as_ref() else {
                continue;
            };
            let due = self.due.get(&alarm.id).copied().unwrap_or_default();
            let is_time = now_ms >= due || due > now_ms + QUERY_MS;
            if !is_time || self.asking.len() >= MAX_QUERIES || !self.asking.insert(alarm.id.clone())
            {
                continue;
            }
            self.due.insert(alarm.id.clone(), now_ms + QUERY_MS);
            let (env, series, scope) = (self.env.clone(), series.clone(), Scope::new(alarm));
            let (id, updated_ms) = (alarm.id.clone(), alarm.updated_ms);
            let query = async move { queries::read_series(&env, &scope, &series).await };
            context.spawn(fut::wrap_future::<_, Self>(query).map(
                move |outcome, live: &mut Self, _| {
                    live.take_answer(id, updated_ms, outcome);
                },
            ));
        }
    }
}

/// Writes how alarms stand and their deliveries in one transaction, and disables destinations that answered 410.
async fn write(
    env: &AlarmsEnv,
    view: &AlarmsView,
    mut round: Round,
    now_ms: i64,
) -> Result<Round, AlarmError> {
    // Overlaps with the last tick, because writes come in late.
    let gone = delivery::list_gone(&env.db, round.gone_ms - 60_000).await?;
    round.disabled = disabled(view, &gone);
    round.gone_ms = now_ms;
    let is_nothing = round.after.iter().all(|(.., stored)| !stored);
    if is_nothing && round.disabled.is_empty() {
        return Ok(round);
    }
    let none = Arc::default();
    let write = env.db.begin_as_leader().await?;
    for alarm in &round.disabled {
        repo::put(env, &*write, alarm).await?;
        for email in owner_emails(env, alarm) {
            env.outbox.put(&write, email, now_ms).await?;
        }
    }
    for (alarm, after, _) in round.after.iter().filter(|(.., stored)| *stored) {
        if !repo::is_there(&*write, &alarm.id).await? {
            continue;
        }
        let before = view.instances.get(&alarm.id).unwrap_or(&none);
        repo::store_standings(&*write, &alarm.id, before, &after.instances).await?;
        env.send_signals(&write, alarm, &after.signals, now_ms)
            .await?;
    }
    write.commit().await?;
    env.outbox.ring();
    Ok(round)
}

/// The emails to an organization's owners about disabled destinations, if email is configured.
fn owner_emails(env: &AlarmsEnv, alarm: &Alarm) -> Vec<Delivery> {
    if !env.senders.delivers_mail() {
        return Vec::new();
    }
    let organizations = env.organizations.view();
    let owners = organizations.owners(&alarm.organization).into_iter();
    let emails = owners.flat_map(|owner| notice::disabled_emails(alarm, owner));
    emails.collect()
}

/// Alarms with a destination that has answered 410 since its last change, with that destination disabled.
fn disabled(view: &AlarmsView, gone: &[(String, i64)]) -> Vec<Arc<Alarm>> {
    let mut changed = Vec::new();
    for alarm in view.alarms.values().filter(|_| !gone.is_empty()) {
        let mut after = alarm.as_ref().clone();
        for to in &mut after.destinations {
            let prefix = notice::prefix(to);
            let is_gone =
                |(key, at_ms): &(String, i64)| key.starts_with(&prefix) && *at_ms > to.updated_ms;
            if to.disabled.is_none() && gone.iter().any(is_gone) {
                tracing::warn!(alarm.id = %alarm.id, destination.id = %to.id, "a receiver wants no more messages");
                to.disabled = Some("The recipient answered 410 Gone".to_owned());
            }
        }
        if after.destinations != alarm.destinations {
            changed.push(Arc::new(after));
        }
    }
    changed
}
