//! Applies a plan: all of it, or nothing that stays.
//!
//! A row is written before something is made, and the next run picks up a run that was cut off.
//! When a step is refused, the steps before it are undone in turn. Deletions come last.

use serde_json::{Value, json};

use super::{
    api::OrganizationApi,
    check::without,
    decide::Decision,
    kinds::Body,
    plan::{Ids, Step},
    read::Declaration,
    recorder::Recorder,
    refs,
    report::Problem,
    undo::{Before, Undo, first_issue, undo},
    write::{only_parts, write, write_parts},
};
use crate::{
    actors::provisioned::{Prints, Provisioned},
    fault::{Fault, Kind as Fell},
};

#[derive(Debug)]
pub(super) struct Stopped {
    /// What was refused.
    pub(super) problem: Problem,
    /// What could not be undone.
    pub(super) left: Vec<String>,
}

/// Creates and changes in every organization first, then deletes in every one.
pub(super) async fn apply(
    plans: &[(OrganizationApi, Vec<Step>)],
    recorder: &Recorder<'_>,
) -> Result<(), Stopped> {
    let mut runs = Vec::new();
    for removing in [false, true] {
        for (api, steps) in plans {
            let known = steps.iter();
            let mut run = Run {
                api,
                recorder,
                ids: known
                    .filter_map(|step| Some((step.key(), step.id()?.to_owned())))
                    .collect(),
                undo: Vec::new(),
            };
            let mut stopped = None;
            for step in steps.iter().filter(|step| step.removes() == removing) {
                if let Err(fault) = run.apply(step).await {
                    stopped = Some((step, fault));
                    break;
                }
            }
            runs.push(run);
            if let Some((step, fault)) = stopped {
                return Err(stop(step, &fault, runs).await);
            }
        }
    }
    Ok(())
}

async fn stop(step: &Step, fault: &Fault, runs: Vec<Run<'_>>) -> Stopped {
    let mut left = Vec::new();
    for run in runs.into_iter().rev() {
        left.extend(undo(run.api, run.recorder, run.undo).await);
    }
    let (why, field) = first_issue(fault);
    let problem = match &step.declared {
        Some(one) => Problem::from(&one.mistake(&field, format!("is refused: {why}"))),
        None => Problem {
            what: format!("`{}` cannot be deleted: {why}", step.key()),
            hint: None,
        },
    };
    Stopped { problem, left }
}

/// The steps of one organization while they are applied.
struct Run<'a> {
    api: &'a OrganizationApi,
    recorder: &'a Recorder<'a>,
    ids: Ids,
    undo: Vec<Undo>,
}

impl Run<'_> {
    async fn apply(&mut self, step: &Step) -> Result<(), Fault> {
        match (&step.decision, &step.declared) {
            (Decision::Create, Some(declared)) => self.create(step, declared).await,
            (Decision::Adopt(id), Some(declared)) => {
                let all: Vec<String> = step.prints.keys().cloned().collect();
                self.change(step, declared, id, &all).await
            }
            (Decision::Update(id, changed), Some(declared)) => {
                self.change(step, declared, id, changed).await
            }
            (Decision::Delete(id), _) => {
                let input = json!({ step.kind.id: id });
                match self.api.ask(step.kind.delete, input).await {
                    Err(fault) if !matches!(fault.kind, Fell::NotFound { .. }) => {
                        return Err(fault);
                    }
                    _ => self.undo.push(Undo::Impossible(step.name.clone())),
                }
                self.recorder.forget(&step.name).await
            }
            (Decision::Forget, _) => self.recorder.forget(&step.name).await,
            _ => Ok(()),
        }
    }

    async fn create(&mut self, step: &Step, declared: &Declaration) -> Result<(), Fault> {
        let body = self.resolve(declared);
        self.note(step, None, None).await?;
        let main = without(&body, |field| step.kind.is_part(field));
        let created = match self.api.ask(step.kind.create, Value::Object(main)).await {
            Ok(created) => created,
            Err(fault) => return Err(self.forget_uncreated(step, fault).await),
        };
        let id = created.get(step.kind.created_id).and_then(Value::as_str);
        let id = id.unwrap_or_default().to_owned();
        self.undo.push(Undo::Delete {
            kind: step.kind,
            id: id.clone(),
            name: step.name.clone(),
        });
        self.ids.insert(step.key(), id.clone());
        write_parts(self.api, step.kind, &id, &only_parts(step.kind, &body)).await?;
        self.settle(step, &id).await
    }

    /// Forgets that something was to be created, when it is certain that it was not.
    async fn forget_uncreated(&self, step: &Step, fault: Fault) -> Fault {
        if matches!(fault.kind, Fell::Internal | Fell::Unavailable { .. }) {
            return fault;
        }
        let forgotten = self.recorder.forget(&step.name).await;
        forgotten.err().unwrap_or(fault)
    }

    async fn change(
        &mut self,
        step: &Step,
        declared: &Declaration,
        id: &str,
        changed: &[String],
    ) -> Result<(), Fault> {
        let kind = step.kind;
        let body = self.resolve(declared);
        let Some(current) = self.api.read(kind, id).await? else {
            return Err(Fault::not_found(kind.one, id));
        };
        let defaults = (kind.defaults)();
        let mut wanted = Body::new();
        let mut was = Body::new();
        let fields = changed.iter();
        for field in fields.filter(|field| !kind.fixed.contains(&field.as_str())) {
            // A field that is no longer declared gets its default; a website's settings stay.
            let Some(value) = body.get(field).or(defaults.get(field)) else {
                continue;
            };
            wanted.insert(field.clone(), value.clone());
            let before = current.get(field).cloned().unwrap_or_default();
            was.insert(field.clone(), before);
        }
        self.note(step, Some(id), None).await?;
        self.undo.push(Undo::Restore(Box::new(Before {
            kind,
            id: id.to_owned(),
            was,
            name: step.name.clone(),
            row: step.row.clone(),
        })));
        write(self.api, kind, id, &wanted, &current).await?;
        self.settle(step, id).await
    }

    fn resolve(&self, declared: &Declaration) -> Body {
        refs::resolve(&declared.body, &|key| self.ids.get(key).cloned())
    }

    /// Notes that a declaration is what is there now.
    async fn settle(&self, step: &Step, id: &str) -> Result<(), Fault> {
        let current = self.api.read(step.kind, id).await?.unwrap_or_default();
        let fingerprinter = self.recorder.fingerprinter;
        let applied = fingerprinter.fields(step.kind, &current, step.prints.keys());
        self.note(step, Some(id), Some(applied)).await
    }

    /// Notes how far a declaration is; forgets the name that it had before as soon as there is another.
    async fn note(
        &self,
        step: &Step,
        id: Option<&str>,
        applied: Option<Prints>,
    ) -> Result<(), Fault> {
        let row = Provisioned {
            name: step.name.clone(),
            resource: id.map(str::to_owned),
            declared: step.prints.clone(),
            applied,
        };
        let before = step.row.as_ref().map(|row| &row.name);
        let renamed = before.filter(|name| **name != step.name && row.applied.is_none());
        self.recorder.note(&row, renamed).await
    }
}
