//! From declarations and what there is to what has to be done.

use std::collections::BTreeMap;

use super::{
    act::{Act, Allowed},
    decide::{Seen, decide},
    kinds::{self, Kind},
    prints::Printer,
    read::Declared,
    refs,
    report::{Action, PlannedStep},
    world::{Found, World},
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
    pub(super) declared: Option<Declared>,
    /// Prints of the declaration.
    pub(super) prints: Prints,
    /// What is known of it, maybe under the name that it had before.
    pub(super) row: Option<Provisioned>,
    pub(super) act: Act,
}

impl Step {
    /// The id that there is, before anything is done.
    pub(super) fn id(&self) -> Option<&str> {
        match &self.act {
            Act::Adopt(id) | Act::Update(id, _) | Act::Delete(id) | Act::Unchanged(id) => Some(id),
            Act::Conflict(_) => self.row.as_ref()?.resource.as_deref(),
            Act::Create | Act::Forget => None,
        }
    }

    /// Whether something goes with it.
    pub(super) fn removes(&self) -> bool {
        matches!(self.act, Act::Delete(_) | Act::Forget)
    }

    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.kind.table, self.name.name)
    }

    pub(super) fn told(&self) -> PlannedStep {
        let (action, fields, why) = match &self.act {
            Act::Create => (Action::Create, Vec::new(), None),
            Act::Adopt(_) => (Action::Adopt, self.prints.keys().cloned().collect(), None),
            Act::Update(_, fields) => (Action::Update, fields.clone(), None),
            Act::Delete(_) => (Action::Delete, Vec::new(), None),
            Act::Forget => (Action::Forget, Vec::new(), None),
            Act::Conflict(why) => (Action::Conflict, Vec::new(), Some(why.clone())),
            Act::Unchanged(_) => (Action::Unchanged, Vec::new(), None),
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
    world: &World,
    printer: &Printer,
    declared: Vec<Declared>,
    rows: Vec<Provisioned>,
    allowed: Allowed,
) -> Result<Vec<Step>, Fault> {
    let mut planner = Planner {
        world,
        printer,
        rows,
        allowed,
        steps: Vec::new(),
        ids: Ids::new(),
    };
    for one in declared {
        planner.declared(one).await?;
    }
    planner.removed().await
}

struct Planner<'a> {
    world: &'a World,
    printer: &'a Printer,
    /// What is known and nobody has declared yet.
    rows: Vec<Provisioned>,
    allowed: Allowed,
    steps: Vec<Step>,
    ids: Ids,
}

impl Planner<'_> {
    async fn declared(&mut self, one: Declared) -> Result<(), Fault> {
        let name = Name {
            organization: self.world.organization.clone(),
            kind: one.kind.table.to_owned(),
            name: one.name.clone(),
        };
        let prints = self.printer.all(&one.body);
        let (row, found) = self.known(&one, &name).await?;
        let current = self.current(one.kind, row.as_ref()).await?;
        let act = decide(&Seen {
            kind: one.kind,
            declared: Some(&prints),
            row: row.as_ref(),
            current: current.as_ref(),
            found: found.as_ref(),
            adopt: one.adopt,
            allowed: Allowed {
                force: self.allowed.force || one.force,
                ..self.allowed
            },
        });
        let renamed = row.as_ref().is_some_and(|row| row.name != name);
        let mut step = Step {
            kind: one.kind,
            name,
            declared: Some(one),
            prints,
            row,
            act: match act {
                Act::Unchanged(id) if renamed => Act::Update(id, Vec::new()),
                act => act,
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
    async fn known(
        &mut self,
        one: &Declared,
        name: &Name,
    ) -> Result<(Option<Provisioned>, Option<Found>), Fault> {
        let own = self.rows.iter().position(|row| row.name == *name);
        let row = own.map(|at| self.rows.remove(at));
        if row.as_ref().is_some_and(|row| row.resource.is_some()) {
            return Ok((row, None));
        }
        let body = refs::resolved(&one.body, &|key| self.ids.get(key).cloned());
        let found = self.world.find(one.kind, &body).await?;
        let Some(Found::Own(id)) = &found else {
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
        let shown = self.world.read(kind, id).await?;
        let fields = row.applied.as_ref().unwrap_or(&row.declared);
        Ok(shown.map(|shown| self.printer.shown(kind, &shown, fields.keys())))
    }

    /// What is declared no more, what names others first.
    async fn removed(mut self) -> Result<Vec<Step>, Fault> {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by_key(|row| std::cmp::Reverse(rank(&row.name.kind)));
        for row in rows {
            let Some(kind) = kinds::of_table(&row.name.kind) else {
                continue;
            };
            let current = self.current(kind, Some(&row)).await?;
            let act = decide(&Seen {
                kind,
                declared: None,
                row: Some(&row),
                current: current.as_ref(),
                found: None,
                adopt: false,
                allowed: self.allowed,
            });
            self.steps.push(Step {
                kind,
                name: row.name.clone(),
                declared: None,
                prints: Prints::new(),
                row: Some(row),
                act,
            });
        }
        Ok(self.steps)
    }
}

/// Where a kind is in the order of kinds.
pub(super) fn rank(table: &str) -> Option<usize> {
    kinds::KINDS.iter().position(|kind| kind.table == table)
}

/// What names something that will not be there cannot be done either.
fn waits(step: &mut Step, before: &[Step]) {
    let Some(declared) = &step.declared else {
        return;
    };
    let missing = refs::of(&declared.body).into_iter().find(|reference| {
        let named = before.iter().find(|step| step.key() == reference.key);
        named.is_some_and(|named| matches!(named.act, Act::Conflict(_)) && named.id().is_none())
    });
    if let Some(missing) = missing {
        step.act = Act::Conflict(format!("it names `{}`, which is in conflict", missing.key));
    }
}
