//! From a request to stored events: the id, the rights, the rules, the log.

use actix_web::web::Payload;
use futures_util::future::try_join_all;

use super::{
    answer::view,
    visitor::{Sessions, Source},
};
use crate::{
    access::{Principal, authorize},
    actors::profiles::Identify,
    events::{
        accept::{
            self, Context, Target,
            protocols::{Adapter, Batch, Claim, Item, Origin, Outcome, Person, Protocol, Visitor},
        },
        ledger::Reason,
        store::Accepted,
    },
    fault::{Fault, Issue},
    http::{
        admission,
        track::authorize::{Grant, Sender, no_credentials},
    },
    store::limits::Endpoint,
};

/// Persons that one request may name.
const MAX_PERSONS: usize = 100;

/// Stores all that a request asks for, or nothing.
pub(super) async fn take(
    sender: &Sender<'_>,
    adapter: &Adapter,
    protocol: Protocol,
    payload: Payload,
) -> Result<Outcome, Fault> {
    sender.receive(payload).await?;
    let received = sender.shared.clock.now_ms();
    // Who is named beside the body is asked before the body is looked at.
    let early = match (adapter.find_claim)(&view(sender.request, &[], received)) {
        Some(claim) => Some((ask(sender, protocol, &claim).await?, claim)),
        None => None,
    };
    let body = sender.read_wrapped(adapter.unwrap).await?;
    let batch = (adapter.read)(&view(sender.request, body, received))?;
    let grant = match (early, &batch.claim) {
        (Some((_, early)), Some(claim)) if early.id != claim.id => {
            return Err(authorize::website_mismatch());
        }
        (Some((grant, _)), _) => grant,
        (None, Some(claim)) => ask(sender, protocol, claim).await?,
        (None, None) => return Err(no_credentials()),
    };
    let reply = batch.reply;
    let outcome = store(sender, batch, &grant).await?;
    Ok(Outcome { reply, ..outcome })
}

/// Asks for the website that has the id. An unknown id, and one that comes without its secret, is an unknown website.
async fn ask(sender: &Sender<'_>, protocol: Protocol, claim: &Claim<'_>) -> Result<Grant, Fault> {
    let websites = sender.shared.websites.view();
    let found = websites.by_protocol(protocol, claim.id.trim());
    let found = found.filter(|(_, entry)| entry.admits(claim.secret.as_deref()));
    let client_id = found.map_or("", |(website, _)| website.client_id.as_str());
    sender.ask_website(Some(client_id)).await
}

async fn store(sender: &Sender<'_>, batch: Batch<'_>, grant: &Grant) -> Result<Outcome, Fault> {
    let persons = batch
        .items
        .iter()
        .filter(|item| matches!(item, Item::Person(_)));
    if persons.clone().count() > MAX_PERSONS {
        let message =
            format!("More than {MAX_PERSONS} persons are named: send them in several requests");
        return Err(accept::invalid(vec![Issue::new("too_many", "", message)]));
    }
    if sender.opted_out() {
        sender.count(Reason::OptedOut, batch.items.len());
        return Ok(ignored(sender));
    }
    let mut judged = Judged {
        events: Vec::with_capacity(batch.items.len()),
        ..Judged::default()
    };
    let mut sources = Sources::default();
    let is_one = batch.items.len() == 1;
    // Each is freed when it is judged: its memory becomes that of the next event.
    for (index, item) in batch.items.into_iter().enumerate() {
        let source = sources.find(sender, item.origin()).await?;
        judged.item(
            sender,
            (!is_one).then_some(index),
            &item,
            source,
            grant.target(),
        )?;
    }
    if batch.is_dry_run {
        sender.is_settled.set(true);
        return Ok(judged.outcome);
    }
    sender.count(Reason::Bot, judged.bots);
    if judged.identities.is_empty() && judged.outcome.count == 0 && judged.bots > 0 {
        // What is left are requests of agents.
        sender.append(judged.events).await?;
        return Ok(ignored(sender));
    }
    name_persons(sender, grant, judged.identities).await?;
    sender.append(judged.events).await?;
    Ok(judged.outcome)
}

/// Names them; each is answered when it is durable. What a retry says again changes nothing.
async fn name_persons(
    sender: &Sender<'_>,
    grant: &Grant,
    identities: Vec<Identify>,
) -> Result<(), Fault> {
    if identities.is_empty() {
        return Ok(());
    }
    if !matches!(sender.principal, Principal::Key(_)) {
        let subject = grant
            .website()
            .map_or("", |website| website.client_id.as_str());
        let (shared, request) = (sender.shared, sender.request);
        admission::admit_subject(shared, Endpoint::Identify, subject, request).await?;
    }
    let asked = identities
        .into_iter()
        .map(|identity| sender.shared.profiles.ask(identity));
    try_join_all(asked).await?;
    Ok(())
}

fn ignored(sender: &Sender<'_>) -> Outcome {
    sender.is_settled.set(true);
    Outcome {
        is_ignored: true,
        ..Outcome::default()
    }
}

/// What became of the items of a request.
#[derive(Default)]
struct Judged {
    events: Vec<Accepted>,
    sessions: Sessions,
    identities: Vec<Identify>,
    bots: usize,
    outcome: Outcome,
}

impl Judged {
    fn item(
        &mut self,
        sender: &Sender<'_>,
        index: Option<usize>,
        item: &Item<'_>,
        source: &Source<'_>,
        target: Target<'_>,
    ) -> Result<(), Fault> {
        let context = &Context {
            visit: &source.visit,
            target,
        };
        let website = target.access.website().0;
        let fate = context.visit.fate(context.target.bots);
        let is_bot = fate.ignored().is_some();
        match item {
            Item::Event(input) if is_bot => {
                self.events.extend(input.request_of_agent(fate, context));
                self.bots += 1;
            }
            Item::Person(_) if is_bot => {}
            Item::Event(input) => {
                let anonymous = source.browser(sender, (input.anonymous.as_deref(), true), website);
                let time = || input.time_ms(context.visit.received);
                let session = match &input.session {
                    Some(session) => session,
                    None => self.sessions.find(sender, anonymous, website, time()),
                };
                let visitor = Visitor { anonymous, session };
                let before = self.events.len();
                input.accept_into(&mut self.events, index, visitor, context)?;
                if let Some(last) = self.events[before..].last() {
                    self.outcome.visitor = last.event.visitor;
                    self.outcome.session = last.event.session;
                }
                self.outcome.count += 1;
            }
            Item::Person(person) => {
                let anonymous = source.browser(
                    sender,
                    (person.anonymous.as_deref(), person.is_here),
                    website,
                );
                let named = identity(sender, person, anonymous, context)?;
                self.identities.push(named);
                self.outcome.count += 1;
            }
        }
        Ok(())
    }
}

fn identity(
    sender: &Sender<'_>,
    person: &Person<'_>,
    anonymous: &str,
    context: &Context<'_>,
) -> Result<Identify, Fault> {
    let said = person.accept()?;
    let enricher = &sender.shared.enricher;
    Ok(Identify {
        access: context.target.access,
        trust: sender.trust(),
        profile: said.profile,
        visitors: enricher.forms(anonymous, None, context.visit.received),
        traits: said.traits,
        said_ms: None,
    })
}

/// Where the items of a request come from; neighbours come from the same as a rule.
#[derive(Default)]
struct Sources<'a> {
    last: Option<Source<'a>>,
}

impl<'a> Sources<'a> {
    async fn find(
        &mut self,
        sender: &Sender<'_>,
        origin: &Origin<'a>,
    ) -> Result<&Source<'a>, Fault> {
        let last = &mut self.last;
        if last.as_ref().is_some_and(|known| known.origin != *origin) {
            *last = None;
        }
        Ok(match last {
            Some(known) => known,
            None => last.insert(Source::new(
                origin.clone(),
                sender.visit_from(origin).await?,
            )),
        })
    }
}
