//! Plans what to do, from declarations and what there is.

use std::collections::BTreeMap;

use super::{
    ProvisionOptions,
    api::{Existing, OrganizationApi},
    decide::{Decision, DeclarationState, decide},
    fingerprints::Fingerprinter,
    kinds::{self, Kind},
    read::Declaration,
    refs,
    report::{Action, PlannedStep},
};
use crate::{
    actors::provisioned::{Name, Prints, Provisioned},
    fault::Fault,
};

/// One thing to do, or not to.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) kind: &'static Kind,
    pub(super) name: Name,
    pub(super) declared: Option<Declaration>,
    /// Prints of the declaration.
    pub(super) prints: Prints,
    /// What is known of it, maybe under the name that it had before.
    pub(super) row: Option<Provisioned>,
    pub(super) decision: Decision,
}

impl Step {
    /// The id that there is, before anything is done.
    pub(super) fn id(&self) -> Option<&str> {
        match &self.decision {
            Decision::Adopt(id)
            | Decision::Update(id, _)
            | Decision::Delete(id)
            | Decision::Unchanged(id) => Some(id),
            Decision::Conflict(_) => self.row.as_ref()?.resource.as_deref(),
            Decision::Create | Decision::Forget => None,
        }
    }

    /// Whether something goes with it.
    pub(super) fn removes(&self) -> bool {
        matches!(self.decision, Decision::Delete(_) | Decision::Forget)
    }

    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.kind.table, self.name.name)
    }

    pub(super) fn planned(&self) -> PlannedStep {
        let (action, fields, why) = match &self.decision {
            Decision::Create => (Action::Create, Vec::new(), None),
            Decision::Adopt(_) => (Action::Adopt, self.prints.keys().cloned().collect(), None),
            Decision::Update(_, fields) => (Action::Update, fields.clone(), None),
            Decision::Delete(_) => (Action::Delete, Vec::new(), None),
            Decision::Forget => (Action::Forget, Vec::new(), None),
            Decision::Conflict(why) => (Action::Conflict, Vec::new(), Some(why.clone())),
            Decision::Unchanged(_) => (Action::Unchanged, Vec::new(), None),
        };
        PlannedStep {
            key: self.key(),
            organization: self.name.organization.to_string(),
            action,
            fields,
            why,
        }
    }
}

/// The ids of declared things, by what they are called.
pub(super) type Ids = BTreeMap<String, String>;

/// The plan for one organization: declarations in the order of what they need, then what is declared no more.
pub(super) async fn plan(
    api: &OrganizationApi,
    fingerprinter: &Fingerprinter,
    declared: Vec<Declaration>,
    rows: Vec<Provisioned>,
    options: ProvisionOptions,
) -> Result<Vec<Step>, Fault> {
    let mut planner = Planner {
        api,
        fingerprinter,
        rows,
        options,
        steps: Vec::new(),
        ids: Ids::new(),
    };
    for one in declared {
        planner.declared(one).await?;
    }
    planner.removed().await
}

struct Planner<'a> {
    api: &'a OrganizationApi,
    fingerprinter: &'a Fingerprinter,
    /// Rows without a declaration so far.
    rows: Vec<Provisioned>,
    options: ProvisionOptions,
    steps: Vec<Step>,
    ids: Ids,
}

impl Planner<'_> {
    async fn declared(&mut self, one: Declaration) -> Result<(), Fault> {
        let name = Name {
            organization: self.api.organization.clone(),
            kind: one.kind.table.to_owned(),
            name: one.name.clone(),
        };
        let prints = self.fingerprinter.body(&one.body);
        let (row, found) = self.find_row(&one, &name).await?;
        let current = self.current(one.kind, row.as_ref()).await?;
        let decision = decide(&DeclarationState {
            kind: one.kind,
            declared: Some(&prints),
            row: row.as_ref(),
            current: current.as_ref(),
            found: found.as_ref(),
            adopt: one.adopt,
            options: ProvisionOptions {
                force: self.options.force || one.force,
                ..self.options
            },
        });
        let renamed = row.as_ref().is_some_and(|row| row.name != name);
        let mut step = Step {
            kind: one.kind,
            name,
            declared: Some(one),
            prints,
            row,
            decision: match decision {
                Decision::Unchanged(id) if renamed => Decision::Update(id, Vec::new()),
                decision => decision,
            },
        };
        waits(&mut step, &self.steps);
        if let Some(id) = step.id() {
            self.ids.insert(step.key(), id.to_owned());
        }
        self.steps.push(step);
        Ok(())
    }

    /// What is known of a declaration, maybe under the name that it had before, and what has its natural name otherwise.
    async fn find_row(
        &mut self,
        one: &Declaration,
        name: &Name,
    ) -> Result<(Option<Provisioned>, Option<Existing>), Fault> {
        let own = self.rows.iter().position(|row| row.name == *name);
        let row = own.map(|at| self.rows.remove(at));
        if row.as_ref().is_some_and(|row| row.resource.is_some()) {
            return Ok((row, None));
        }
        let body = refs::resolve(&one.body, &|key| self.ids.get(key).cloned());
        let found = self.api.find(one.kind, &body).await?;
        let Some(Existing::Own(id)) = &found else {
            return Ok((row, found));
        };
        let same = |row: &Provisioned| {
            row.name.kind == one.kind.table && row.resource.as_ref() == Some(id)
        };
        let renamed = self.rows.iter().position(same);
        Ok(match renamed {
            Some(at) => (Some(self.rows.remove(at)), None),
            None => (row, found),
        })
    }

    /// Prints of what a row names, as it is now.
    async fn current(
        &self,
        kind: &Kind,
        row: Option<&Provisioned>,
    ) -> Result<Option<Prints>, Fault> {
        let Some((row, id)) = row.and_then(|row| Some((row, row.resource.as_ref()?))) else {
            return Ok(None);
        };
        let shown = self.api.read(kind, id).await?;
        let fields = row.applied.as_ref().unwrap_or(&row.declared);
        Ok(shown.map(|shown| self.fingerprinter.fields(kind, &shown, fields.keys())))
    }

    /// What is declared no more, what names others first.
    async fn removed(mut self) -> Result<Vec<Step>, Fault> {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by_key(|row| std::cmp::Reverse(kinds::rank(&row.name.kind)));
        for row in rows {
            let Some(kind) = kinds::find(&row.name.kind) else {
                continue;
            };
            let current = self.current(kind, Some(&row)).await?;
            let decision = decide(&DeclarationState {
                kind,
                declared: None,
                row: Some(&row),
                current: current.as_ref(),
                found: None,
                adopt: false,
                options: self.options,
            });
            self.steps.push(Step {
                kind,
                name: row.name.clone(),
                declared: None,
                prints: Prints::new(),
                row: Some(row),
                decision,
            });
        }
        Ok(self.steps)
    }
}

/// What names something that will not be there cannot be done either.
fn waits(step: &mut Step, before: &[Step]) {
    let Some(declared) = &step.declared else {
        return;
    };
    let missing = refs::collect(&declared.body).into_iter().find(|reference| {
        let named = before.iter().find(|step| step.key() == reference.key);
        named.is_some_and(|named| {
            matches!(named.decision, Decision::Conflict(_)) && named.id().is_none()
        })
    });
    if let Some(missing) = missing {
        step.decision =
            Decision::Conflict(format!("it names `{}`, which is in conflict", missing.key));
    }
}
