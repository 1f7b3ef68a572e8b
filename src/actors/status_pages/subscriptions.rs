//! Requests, confirms and ends subscriptions.

use super::subscribers::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope, deliveries, repo, vault::Vault,
};
use crate::{
    actors::{
        delivery::new_secret,
        kit::{commit, handlers},
        status_pages::{
            StatusPage, StatusPageError, StatusPages, StatusPagesEnv, StatusPagesView,
            actor::Answer,
        },
        subscription_links::LinkProof,
    },
    ids::{StatusPageId, SubscriberId},
};

const MAX_SUBSCRIBERS: u64 = 5_000;

async fn subscribe(
    env: StatusPagesEnv,
    page: StatusPage,
    message: Subscribe,
) -> Result<(), StatusPageError> {
    let vault = Vault::new(&env.secret);
    let (contact, language) = (message.contact, message.language);
    let now_ms = env.clock.now_ms();
    let wanted = message.components.map(|mut all| {
        all.retain(|id| page.monitors.iter().any(|one| one.id == *id));
        all
    });
    let write = env.db.begin().await?;
    // Existing subscribers are refused as well, which keeps the list of subscribers secret.
    if repo::count(&*write, &page.id).await? >= MAX_SUBSCRIBERS {
        return Err(StatusPageError::refused(
            "A page has at most 5,000 subscribers",
        ));
    }
    let known = repo::by_contact(&vault, &*write, &page.id, &contact).await?;
    let secret = match contact.kind {
        SubscriberKind::Email => None,
        SubscriberKind::Webhook => Some(new_secret()?),
    };
    let one = match known {
        Some(known) => Subscriber {
            wanted,
            language,
            asked_ms: now_ms,
            ..known
        },
        None => Subscriber {
            id: SubscriberId::new(),
            page: page.id.clone(),
            contact,
            language,
            secret,
            components: None,
            wanted,
            asked_ms: now_ms,
            confirmed_ms: None,
            created_ms: now_ms,
        },
    };
    repo::put(&vault, &*write, &one).await?;
    let confirmation = deliveries::confirmation(&env, &vault, &page, &one);
    env.outbox.put(&write, confirmation, now_ms).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(())
}

async fn confirm(env: StatusPagesEnv, message: Confirm) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(LinkProof::Confirm(id, asked_ms)) = vault.links.read(&message.token, now_ms) else {
        return Err(StatusPageError::InvalidLink);
    };
    let (id, write) = (SubscriberId::from(id), env.db.begin().await?);
    let known = repo::by_id(&vault, &*write, &id).await?;
    // A later request has its own link.
    let known = known.filter(|known| known.asked_ms == asked_ms);
    let known = known.ok_or(StatusPageError::InvalidLink)?;
    let one = Subscriber {
        components: known.wanted.clone(),
        confirmed_ms: known.confirmed_ms.or(Some(now_ms)),
        ..known
    };
    repo::put(&vault, &*write, &one).await?;
    write.commit().await?;
    Ok(())
}

async fn leave(env: StatusPagesEnv, message: Leave) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(LinkProof::Unsubscribe(id)) = vault.links.read(&message.token, now_ms) else {
        return Err(StatusPageError::InvalidLink);
    };
    let id = SubscriberId::from(id);
    match repo::by_id(&vault, env.db.reader(), &id).await? {
        Some(known) => {
            let page = known.page;
            remove(env, RemoveSubscriber { page, id }).await
        }
        None => Ok(()),
    }
}

async fn remove(env: StatusPagesEnv, message: RemoveSubscriber) -> Result<(), StatusPageError> {
    let write = env.db.begin().await?;
    repo::delete(&write, &message.page, &message.id).await?;
    write.commit().await?;
    Ok(())
}

handlers! { StatusPages:
    decide Subscribe => StatusPages::subscribe;
    commit Confirm => confirm;
    commit Leave => leave;
    commit RemoveSubscriber => remove;
}

impl StatusPages {
    fn subscribe(&mut self, message: Subscribe) -> Answer<()> {
        let page = self.find(&message.page)?;
        let written = subscribe(self.env.clone(), page.as_ref().clone(), message);
        Ok(commit(written, |_, ()| ()))
    }
}

impl StatusPagesView {
    /// Whether subscribers can be reached by email.
    pub fn sends_mail(&self) -> bool {
        self.env.sends_mail
    }

    /// Reads the address of a subscriber.
    pub fn contact(&self, text: &str) -> Result<Contact, String> {
        Contact::read(text, &self.env.egress.policy(), self.env.sends_mail)
    }

    pub async fn subscribers(
        &self,
        page: &StatusPageId,
    ) -> Result<Vec<Subscriber>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        Ok(repo::list(&vault, self.env.db.reader(), page, false).await?)
    }

    /// The subscription of a confirmation link; `None` if it is invalid or expired.
    pub async fn confirmation_scope(
        &self,
        token: &str,
    ) -> Result<Option<SubscriptionScope>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        let proof = vault.links.read(token, self.env.clock.now_ms());
        let Some(LinkProof::Confirm(id, asked_ms)) = proof else {
            return Ok(None);
        };
        let id = SubscriberId::from(id);
        let known = repo::by_id(&vault, self.env.db.reader(), &id).await?;
        let known = known.filter(|known| known.asked_ms == asked_ms);
        let found = known.and_then(|known| Some((self.by_id(known.page.as_str())?, known)));
        let Some((page, known)) = found else {
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

    /// Whether this is a valid unsubscribe link. Does not reveal whether the subscription exists.
    pub fn is_unsubscribe_link(&self, token: &str) -> bool {
        let vault = Vault::new(&self.env.secret);
        matches!(vault.links.read(token, 0), Some(LinkProof::Unsubscribe(_)))
    }
}
