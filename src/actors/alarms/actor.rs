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
    dispatch::Moment,
    env::AlarmsEnv,
    evaluate::{EvaluatedAlarm, evaluate},
    model::{self, Instances},
    observations::{self, Observation},
    queries::{self, Scope},
    repo,
    round::{self, Round},
};
use crate::{
    actors::kit::{Domain, Live, UnknownOutcome, read_beside},
    ids::{AlarmId, DestinationId},
    store::StateDb,
};

const TICK: Duration = Duration::from_secs(1);
/// How often an alarm queries the event store, milliseconds.
const QUERY_MS: i64 = 60_000;
const MAX_QUERIES: usize = 4;
/// How far back messages that failed for good are looked for at start, milliseconds.
const LOOK_BACK_MS: i64 = 7 * 86_400_000;

pub struct Alarms {
    pub(super) env: AlarmsEnv,
    pub(super) view: Arc<AlarmsView>,
    /// The last results of queries.
    answers: HashMap<AlarmId, Observation>,
    /// When the next queries are due, Unix milliseconds.
    due: HashMap<AlarmId, i64>,
    asking: HashSet<AlarmId>,
    /// Up to when messages that failed for good were handled, Unix milliseconds.
    failed_ms: i64,
    /// The keys of those, and when they failed.
    failures: HashMap<String, i64>,
    /// When messages were sent to destinations with a rate limit. The outbox has it, too.
    pub(super) sent: HashMap<DestinationId, Vec<i64>>,
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
        let now_ms = env.clock.now_ms();
        Ok(Self {
            failed_ms: now_ms - LOOK_BACK_MS,
            failures: HashMap::new(),
            sent: round::load_sent(&env, &view, now_ms).await?,
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
        self.sent = fresh.sent;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(TICK, Live::tick);
    }
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
        let id = uuid::Uuid::now_v7().to_string();
        let moment = Moment {
            now_ms,
            id: &id,
            channels: &self.env.channels,
            failures: &self.failures,
            sent: &self.sent,
            is_last: false,
        };
        let alarms = self.view.alarms.values();
        let live = alarms
            .filter(|alarm| alarm.fields.enabled && organizations.is_live(&alarm.organization));
        let evaluated = live.filter_map(|alarm| {
            let seen = observations::observe_monitors(alarm, &monitors, now_ms);
            let answer = || Some(vec![self.answers.get(&alarm.id)?.clone()]);
            let seen = seen.or_else(answer);
            let none = Arc::new(Instances::new());
            let before = self.view.instances.get(&alarm.id).unwrap_or(&none);
            let after = evaluate(alarm, before, seen, &moment);
            if after.instances == **before {
                return None;
            }
            // New evidence alone is kept in memory, but not stored.
            let stored = !after.messages.is_empty()
                || before.len() != after.instances.len()
                || model::changed(before, &after.instances).next().is_some();
            Some((Arc::clone(alarm), after, stored))
        });
        evaluated.collect()
    }

    fn adopt_round(&mut self, round: Round) {
        let now_ms = round.failed_ms;
        self.failed_ms = now_ms;
        self.failures
            .retain(|_, at_ms| *at_ms > now_ms - LOOK_BACK_MS);
        let failed = round.failed.into_iter();
        self.failures.extend(failed.map(|one| (one.key, one.at_ms)));
        let view = Arc::make_mut(&mut self.view);
        for (alarm, after, _) in round.after {
            round::note_sent(&mut self.sent, &alarm, &after.messages, now_ms);
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
            failed: Vec::new(),
            failed_ms: self.failed_ms,
        };
        let (env, view) = (self.env.clone(), Arc::clone(&self.view));
        let written = async move { round::write(&env, &view, round, now_ms).await };
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
            read_beside(context, query, move |live: &mut Self, outcome, _| {
                live.take_answer(id, updated_ms, outcome);
            });
        }
    }
}
