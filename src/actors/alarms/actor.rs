//! The one writer of alarms, and the one that looks.

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
    evaluate::{After, evaluate},
    model::Instances,
    notice,
    question::{self, Whose},
    readings::{self, Seen},
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

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(1);
/// How often the event store is asked for an alarm, milliseconds.
const ASK_MS: i64 = 60_000;
/// Questions that are asked at the same time.
const AT_ONCE: usize = 4;
/// How far back it is looked at start which receivers want nothing any more, milliseconds.
const BACK_MS: i64 = 7 * 86_400_000;

#[derive(Debug)]
pub struct Alarms {
    pub(super) env: AlarmsEnv,
    pub(super) view: Arc<AlarmsView>,
    /// What the event store said last.
    answers: HashMap<AlarmId, Seen>,
    /// When it is asked again, Unix milliseconds.
    due: HashMap<AlarmId, i64>,
    asking: HashSet<AlarmId>,
    /// Up to when receivers that want nothing any more were noted, Unix milliseconds.
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
            gone_ms: env.clock.now_ms() - BACK_MS,
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
        // What was seen and asked is about the alarm as it was.
        let same = |id: &AlarmId| {
            let updated_ms = |view: &AlarmsView| Some(view.alarms.get(id)?.updated_ms);
            updated_ms(&self.view) == updated_ms(&fresh.view)
        };
        self.answers.retain(|id, _| same(id));
        self.due.retain(|id, _| same(id));
        self.view = fresh.view;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(LOOK, Live::look);
    }
}

/// What came of a look.
#[derive(Debug, Default)]
struct Round {
    after: Vec<(Arc<Alarm>, After, bool)>,
    disabled: Vec<Arc<Alarm>>,
    gone_ms: i64,
}

impl Alarms {
    /// Takes what the event store says, unless the alarm has changed since it was asked.
    fn take_answer(&mut self, id: AlarmId, updated_ms: i64, outcome: Result<Seen, AlarmError>) {
        self.asking.remove(&id);
        let current = self.view.by_id(id.as_str());
        if current.is_none_or(|alarm| alarm.updated_ms != updated_ms) {
            return;
        }
        match outcome {
            Ok(seen) => {
                self.answers.insert(id, seen);
            }
            Err(error) => tracing::warn!(%error, alarm.id = %id, "an alarm cannot be judged"),
        }
    }

    /// Forgets what was seen and known of an alarm.
    pub(super) fn begin_anew(&mut self, id: &AlarmId) {
        self.answers.remove(id);
        self.due.remove(id);
        Arc::make_mut(&mut self.view).instances.remove(id);
    }

    /// What every alarm that is on says at this moment, as far as that changes something.
    fn judge(&self, now_ms: i64) -> Vec<(Arc<Alarm>, After, bool)> {
        let (monitors, organizations) = (self.env.monitors.view(), self.env.organizations.view());
        let on = self
            .view
            .alarms
            .values()
            .filter(|alarm| alarm.fields.enabled);
        let live = on.filter(|alarm| organizations.is_live(&alarm.organization));
        let judged = live.filter_map(|alarm| {
            let seen = match readings::read_monitors(alarm, &monitors, now_ms) {
                Some(seen) => seen,
                None => vec![self.answers.get(&alarm.id)?.clone()],
            };
            let none = Arc::new(Instances::new());
            let before = self.view.instances.get(&alarm.id).unwrap_or(&none);
            let after = evaluate(alarm, before, seen, now_ms);
            if after.instances == **before {
                return None;
            }
            // What was seen last is worth remembering, but not worth writing down.
            let standing = |all: &Instances| -> Vec<_> {
                let each = all.iter();
                each.map(|(subject, one)| (subject.clone(), one.standing, one.name.clone()))
                    .collect()
            };
            let stored = standing(&after.instances) != standing(before);
            Some((Arc::clone(alarm), after, stored))
        });
        judged.collect()
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
    fn look(&mut self, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        let now_ms = self.env.clock.now_ms();
        self.ask(now_ms, context);
        let round = Round {
            after: self.judge(now_ms),
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
                Err(error) => tracing::warn!(%error, "alarms are judged again"),
            },
        ));
    }

    /// Asks the event store for the alarms whose turn it is.
    fn ask(&mut self, now_ms: i64, context: &mut Context<Self>) {
        let view = Arc::clone(&self.view);
        for alarm in view.alarms.values().filter(|alarm| alarm.fields.enabled) {
            let Conditions::Series(series) = alarm.conditions.as_ref() else {
                continue;
            };
            let due = self.due.get(&alarm.id).copied().unwrap_or_default();
            let is_time = now_ms >= due || due > now_ms + ASK_MS;
            if !is_time || self.asking.len() >= AT_ONCE || !self.asking.insert(alarm.id.clone()) {
                continue;
            }
            self.due.insert(alarm.id.clone(), now_ms + ASK_MS);
            let (env, series, whose) = (self.env.clone(), series.clone(), Whose::of(alarm));
            let (id, updated_ms) = (alarm.id.clone(), alarm.updated_ms);
            let asked = async move { question::read_series(&env, &whose, &series).await };
            context.spawn(fut::wrap_future::<_, Self>(asked).map(
                move |outcome, live: &mut Self, _| {
                    live.take_answer(id, updated_ms, outcome);
                },
            ));
        }
    }
}

/// Writes how alarms stand and what is told, all of it or nothing, and notes which receivers want nothing any more.
async fn write(
    env: &AlarmsEnv,
    view: &AlarmsView,
    mut round: Round,
    now_ms: i64,
) -> Result<Round, AlarmError> {
    // A little of what was seen before, because writes come in late.
    let gone = delivery::list_gone(&env.db, round.gone_ms - 60_000).await?;
    round.disabled = disabled(view, &gone);
    round.gone_ms = now_ms;
    let is_nothing = round.after.iter().all(|(.., stored)| !stored);
    if is_nothing && round.disabled.is_empty() {
        return Ok(round);
    }
    let write = env.db.begin_on_duty().await?;
    for alarm in &round.disabled {
        repo::put(env, &*write, alarm).await?;
        for email in farewells(env, alarm) {
            env.outbox.put(&write, email, now_ms).await?;
        }
    }
    for (alarm, after, _) in round.after.iter().filter(|(.., stored)| *stored) {
        if !repo::is_there(&*write, &alarm.id).await? {
            continue;
        }
        repo::store_standings(&*write, &alarm.id, &after.instances).await?;
        let id = uuid::Uuid::now_v7().to_string();
        for delivery in notice::deliveries(alarm, &after.told, (&id, &env.base_url, now_ms)) {
            env.outbox.put(&write, delivery, now_ms).await?;
        }
    }
    write.commit().await?;
    env.outbox.ring();
    Ok(round)
}

/// The emails to an organization's owners about receivers that want nothing any more, where mail is sent at all.
fn farewells(env: &AlarmsEnv, alarm: &Alarm) -> Vec<Delivery> {
    if !env.senders.delivers_mail() {
        return Vec::new();
    }
    let organizations = env.organizations.view();
    let owners = organizations.owners(&alarm.organization).into_iter();
    let emails =
        owners.flat_map(|owner| notice::farewells(alarm, (owner.id.as_str(), &owner.email)));
    emails.collect()
}

/// Alarms of which a receiver has said that it wants nothing any more, since the destination was changed last.
fn disabled(view: &AlarmsView, gone: &[(String, i64)]) -> Vec<Arc<Alarm>> {
    let mut changed = Vec::new();
    for alarm in view.alarms.values().filter(|_| !gone.is_empty()) {
        let mut after = alarm.as_ref().clone();
        for to in &mut after.destinations {
            let prefix = notice::prefix(to);
            let said =
                |(key, at_ms): &(String, i64)| key.starts_with(&prefix) && *at_ms > to.updated_ms;
            if to.disabled.is_none() && gone.iter().any(said) {
                tracing::warn!(alarm.id = %alarm.id, destination.id = %to.id, "a receiver wants no more messages");
                to.disabled =
                    Some("The receiver answered 410: it wants no more messages".to_owned());
            }
        }
        if after.destinations != alarm.destinations {
            changed.push(Arc::new(after));
        }
    }
    changed
}
