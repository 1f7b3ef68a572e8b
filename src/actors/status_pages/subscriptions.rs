//! Who asks, confirms and leaves.

use actix::{Context, Handler};

use super::subscribers::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope, repo, tell,
    vault::{Proven, Vault},
};
use crate::{
    actors::{
        delivery::new_secret,
        kit::{Live, commit, refuse},
        status_pages::{
            StatusPage, StatusPageError, StatusPages, StatusPagesEnv, StatusPagesView,
            actor::Answer,
        },
    },
    ids::{StatusPageId, SubscriberId},
    store::StateError,
};

/// Subscribers of a page.
const MAX: u64 = 5_000;

async fn subscribe(
    env: StatusPagesEnv,
    page: StatusPage,
    message: Subscribe,
) -> Result<(), StatusPageError> {
    let vault = Vault::new(&env.secret);
    let (contact, now_ms) = (message.contact, env.clock.now_ms());
    let wanted = message.components.map(|mut all| {
        all.retain(|id| page.monitors.iter().any(|one| one.id == *id));
        all
    });
    let write = env.db.begin().await?;
    let full = repo::count(&*write, &page.id).await;
    // Whoever is told already is refused as well, or everybody could see who that is.
    if full.map_err(StateError::from)? >= MAX {
        return Err(StatusPageError::Refused(
            "A page has at most 5,000 subscribers",
        ));
    }
    let known = repo::by_contact(&vault, &*write, &page.id, &contact).await;
    let known = known.map_err(StateError::from)?;
    let secret = match contact.kind {
        SubscriberKind::Email => None,
        SubscriberKind::Webhook => Some(new_secret()?),
    };
    let one = match known {
        Some(known) => Subscriber {
            wanted,
            asked_ms: now_ms,
            ..known
        },
        None => Subscriber {
            id: SubscriberId::new(),
            page: page.id.clone(),
            contact,
            secret,
            components: None,
            wanted,
            asked_ms: now_ms,
            confirmed_ms: None,
            created_ms: now_ms,
        },
    };
    repo::put(&vault, &*write, &one).await?;
    let question = tell::question(&env, &vault, &page, &one);
    env.outbox.put(&write, question, now_ms).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(())
}

async fn confirm(env: StatusPagesEnv, token: String) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(Proven::Confirms(id, asked_ms)) = vault.read(&token, now_ms) else {
        return Err(StatusPageError::NotProven);
    };
    let write = env.db.begin().await?;
    let known = repo::by_id(&vault, &*write, &id).await;
    let known = known.map_err(StateError::from)?;
    // What was asked for since has a link of its own.
    let known = known.filter(|known| known.asked_ms == asked_ms);
    let known = known.ok_or(StatusPageError::NotProven)?;
    let one = Subscriber {
        components: known.wanted.clone(),
        confirmed_ms: known.confirmed_ms.or(Some(now_ms)),
        ..known
    };
    repo::put(&vault, &*write, &one).await?;
    write.commit().await?;
    Ok(())
}

async fn leave(env: StatusPagesEnv, token: String) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(Proven::Leaves(id)) = vault.read(&token, now_ms) else {
        return Err(StatusPageError::NotProven);
    };
    let known = repo::by_id(&vault, env.db.reader(), &id).await;
    match known.map_err(StateError::from)? {
        Some(known) => remove(env, known.page, id).await,
        None => Ok(()),
    }
}

async fn remove(
    env: StatusPagesEnv,
    page: StatusPageId,
    id: SubscriberId,
) -> Result<(), StatusPageError> {
    let write = env.db.begin().await?;
    let gone = repo::delete(&write, &page, &id).await;
    gone.map_err(StateError::from)?;
    write.commit().await?;
    Ok(())
}

impl Handler<Subscribe> for Live<StatusPages> {
    type Result = Answer<()>;

    fn handle(&mut self, message: Subscribe, _: &mut Context<Self>) -> Self::Result {
        match self.find(&message.page) {
            Ok(page) => {
                let asked = subscribe(self.env.clone(), page.as_ref().clone(), message);
                commit(asked, |_: &mut StatusPages, ()| ())
            }
            Err(error) => refuse(error),
        }
    }
}

impl Handler<Confirm> for Live<StatusPages> {
    type Result = Answer<()>;

    fn handle(&mut self, message: Confirm, _: &mut Context<Self>) -> Self::Result {
        let confirmed = confirm(self.env.clone(), message.token);
        commit(confirmed, |_: &mut StatusPages, ()| ())
    }
}

impl Handler<Leave> for Live<StatusPages> {
    type Result = Answer<()>;

    fn handle(&mut self, message: Leave, _: &mut Context<Self>) -> Self::Result {
        let left = leave(self.env.clone(), message.token);
        commit(left, |_: &mut StatusPages, ()| ())
    }
}

impl Handler<RemoveSubscriber> for Live<StatusPages> {
    type Result = Answer<()>;

    fn handle(&mut self, message: RemoveSubscriber, _: &mut Context<Self>) -> Self::Result {
        let gone = remove(self.env.clone(), message.page, message.id);
        commit(gone, |_: &mut StatusPages, ()| ())
    }
}

impl StatusPagesView {
    /// Reads where somebody wants to be told.
    ///
    /// # Errors
    /// Why nobody can be told there, in a sentence.
    pub fn contact(&self, said: &str) -> Result<Contact, String> {
        Contact::read(said, &self.env.egress.policy(), self.env.sends_mail)
    }

    /// The subscribers of a page, from storage.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn subscribers(
        &self,
        page: &StatusPageId,
    ) -> Result<Vec<Subscriber>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        let all = repo::of(&vault, self.env.db.reader(), page, false).await;
        Ok(all.map_err(StateError::from)?)
    }

    /// What a link for confirming is about, from storage; nothing when it is not good any more.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn asked(&self, token: &str) -> Result<Option<SubscriptionScope>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        let proven = vault.read(token, self.env.clock.now_ms());
        let Some(Proven::Confirms(id, asked_ms)) = proven else {
            return Ok(None);
        };
        let known = repo::by_id(&vault, self.env.db.reader(), &id).await;
        let known = known.map_err(StateError::from)?;
        let known = known.filter(|known| known.asked_ms == asked_ms);
        let Some((known, page)) = known
            .and_then(|known| Some((self.by_id(known.page.as_str())?, known)))
            .map(|(page, known)| (known, page))
        else {
            return Ok(None);
        };
        let names = self.env.names(page);
        let named = |wanted: Vec<String>| {
            let own = names.iter().filter(|(id, _)| wanted.contains(id));
            own.map(|(_, name)| name.clone()).collect()
        };
        Ok(Some(SubscriptionScope {
            page: page.fields.name.clone(),
            components: known.wanted.map(named),
        }))
    }

    /// Whether a link for leaving is one of ours. Says nothing about whether anybody is left.
    pub fn is_leaving(&self, token: &str) -> bool {
        let vault = Vault::new(&self.env.secret);
        matches!(vault.read(token, 0), Some(Proven::Leaves(_)))
    }
}
