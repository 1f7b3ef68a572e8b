//! Judges the definitions of a plan in their order, and creates them.
//!
//! A definition is judged just before it is created, so that those before it count. One that fails is reported and the
//! rest goes on. Links are created by the hundred, everything else one by one.

use super::{
    flags::FlagImporter,
    links::LinkImporter,
    monitors::MonitorImporter,
    outcome::{Done, Verdict},
    pages::PageImporter,
    wire::{ItemOut, Outcome, PlanOut},
};
use crate::{
    actors::{flags::Scope, links::MAX_AT_ONCE},
    fault::Fault,
    http::procedures::Call,
    ids::OrganizationId,
    importers::{Definition, Item, LinkDefinition, Plan},
};

/// Whose definitions are created.
pub(super) enum Family {
    Organization,
    Flags(Scope),
}

pub(super) struct Run<'c> {
    call: &'c Call,
    organization: &'c OrganizationId,
    /// Whether definitions are created.
    apply: bool,
    out: PlanOut,
    /// Links that are created together, with the places of their items.
    pending: Vec<(usize, Box<LinkDefinition>)>,
}

impl<'c> Run<'c> {
    pub(super) fn new(call: &'c Call, organization: &'c OrganizationId, apply: bool) -> Self {
        Self {
            call,
            organization,
            apply,
            out: PlanOut::default(),
            pending: Vec::new(),
        }
    }

    pub(super) async fn all(mut self, plan: Plan, family: Family) -> Result<PlanOut, Fault> {
        let mut links = LinkImporter::new(self.call, self.organization);
        let mut monitors = MonitorImporter::new(self.call, self.organization);
        let pages = PageImporter::new(self.call, self.organization);
        let flags = match family {
            Family::Flags(scope) => Some(FlagImporter::new(self.call, scope)),
            Family::Organization => None,
        };
        for Item { at, definition } in plan.items {
            let place = self.note(at, &definition);
            let done = match definition {
                Definition::Link(link) => {
                    self.link(&mut links, place, link).await?;
                    continue;
                }
                Definition::Monitor(monitor) => monitors.import(*monitor, self.apply).await,
                Definition::Page(page) => {
                    let omitted = &mut self.out.omitted;
                    pages.import(*page, &monitors, self.apply, omitted).await
                }
                Definition::Incident(incident) => {
                    pages.tell(*incident, &monitors, self.apply).await
                }
                Definition::Flag(flag) => match &flags {
                    Some(flags) => flags.import(*flag, self.apply).await,
                    None => continue,
                },
            };
            self.set(place, done);
        }
        self.create_pending(&links).await;
        let omissions = plan.omissions.into_iter().chain(links.omissions());
        self.out.omitted.extend(omissions.map(Into::into));
        Ok(self.finish())
    }

    /// The place of a new item.
    fn note(&mut self, at: String, definition: &Definition) -> usize {
        self.out.items.push(ItemOut {
            at,
            kind: definition.kind(),
            name: definition.name().to_owned(),
            outcome: Outcome::Create,
            reason: None,
            id: None,
        });
        self.out.items.len() - 1
    }

    fn set(&mut self, place: usize, done: Done) {
        if let Some(item) = self.out.items.get_mut(place) {
            (item.outcome, item.reason, item.id) = (done.outcome, done.reason, done.id);
        }
    }

    async fn link(
        &mut self,
        links: &mut LinkImporter<'_>,
        place: usize,
        mut link: Box<LinkDefinition>,
    ) -> Result<(), Fault> {
        let verdict = links.judge(&mut link).await?;
        if self.apply && verdict == Verdict::Create {
            self.pending.push((place, link));
            if self.pending.len() >= MAX_AT_ONCE {
                self.create_pending(links).await;
            }
        } else {
            self.set(place, verdict.into());
        }
        Ok(())
    }

    async fn create_pending(&mut self, links: &LinkImporter<'_>) {
        let (places, drafts): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
            .into_iter()
            .map(|(place, link)| (place, link.fields))
            .unzip();
        let done = links.create(drafts).await;
        for (place, done) in places.into_iter().zip(done) {
            self.set(place, done);
        }
    }

    fn finish(mut self) -> PlanOut {
        let count = |outcomes: &[Outcome]| {
            let items = self.out.items.iter();
            items
                .filter(|item| outcomes.contains(&item.outcome))
                .count()
        };
        let create = count(&[Outcome::Create, Outcome::Created]);
        let (exist, refused) = (count(&[Outcome::Exists]), count(&[Outcome::Refused]));
        (self.out.create, self.out.exist, self.out.refused) = (create, exist, refused);
        self.out
    }
}
