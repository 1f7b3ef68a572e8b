//! Messages to subscribers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    Subscriber, SubscriberKind,
    news::News,
    repo::{self, subscriber_prefix},
    vault::Vault,
};
use crate::{
    actors::{
        delivery::{Channel, Delivery, Email, Hook, Notice, line},
        status_pages::{Impact, Incident, StatusPage, StatusPageError, StatusPagesEnv},
    },
    clock::{from_ms, iso_ms},
    store::state::Write,
};

/// Puts news into the outbox for all subscribers that want it, in the transaction of the change. Whether there
/// were any.
pub(in super::super) async fn notify_subscribers(
    env: &StatusPagesEnv,
    write: &Write,
    page: &StatusPage,
    news: &[News],
) -> Result<bool, StatusPageError> {
    if news.is_empty() {
        return Ok(false);
    }
    let vault = Vault::new(&env.secret);
    let all = repo::list(&vault, &**write, &page.id, true).await?;
    let builder = MessageBuilder {
        page,
        base: &env.base_url,
        url: env.page_url(page),
        vault: &vault,
        names: env.names(page),
    };
    let now_ms = env.clock.now_ms();
    let mut any = false;
    for one in news {
        for subscriber in all.iter().filter(|own| own.wants(&one.incident)) {
            if subscriber.contact.kind == SubscriberKind::Email && !env.sends_mail {
                continue;
            }
            let delivery = builder.delivery(subscriber, one);
            any |= env.outbox.put(write, delivery, now_ms).await?;
        }
    }
    Ok(any)
}

struct MessageBuilder<'p> {
    page: &'p StatusPage,
    base: &'p str,
    /// Where the page is.
    url: String,
    vault: &'p Vault,
    names: Vec<(String, String)>,
}

impl MessageBuilder<'_> {
    fn unsubscribe_url(&self, subscriber: &Subscriber) -> String {
        let token = self.vault.links.unsubscribe_token(subscriber.id.as_str());
        format!("{}/subscriptions/{token}", self.base)
    }

    fn thread(&self, incident: &Incident) -> String {
        format!("page:{}:{}", self.page.id, incident.id)
    }

    fn delivery(&self, subscriber: &Subscriber, news: &News) -> Delivery {
        let key = format!(
            "{}{}",
            subscriber_prefix(&self.page.id, &subscriber.id),
            news.key
        );
        let organization = Some(self.page.organization.clone());
        match subscriber.contact.kind {
            SubscriberKind::Email => self.email(subscriber, news).delivery(key, organization),
            SubscriberKind::Webhook => Hook {
                to: webhook(subscriber),
                notice: self.notice(subscriber, news),
            }
            .delivery(key, organization),
        }
    }

    fn email(&self, subscriber: &Subscriber, news: &News) -> Email {
        let (name, incident) = (line(&self.page.fields.name), &news.incident);
        let texts = self.page.fields.texts(subscriber.language);
        let time = |at_ms| texts.moment(from_ms(at_ms));
        let status = news
            .status
            .map_or_else(|| texts.postmortem(), |status| status.label(texts));
        let mut text = format!(
            "{}\n{}\n\n{}\n",
            line(&incident.title),
            texts.email_update(&status, &time(news.at_ms)),
            news.message,
        );
        if let (Some(starts), Some(ends)) = (incident.starts_ms, incident.ends_ms) {
            let span = texts.span(&time(starts), &time(ends));
            let _ = write!(text, "\n{}\n", texts.email_update_scheduled(&span));
        }
        let hits = self.affected(incident).into_iter();
        let hits: Vec<_> = hits
            .map(|(_, name, impact)| match impact {
                Impact::Degraded => texts.impact_degraded(&line(name)),
                Impact::Down => texts.impact_down(&line(name)),
            })
            .collect();
        if !hits.is_empty() {
            let names = texts.list(&hits);
            let _ = write!(text, "\n{}\n", texts.email_update_affected(&names));
        }
        let unsubscribe_url = self.unsubscribe_url(subscriber);
        let _ = write!(
            text,
            "\n{}#{}\n\n-- \n{}\n{unsubscribe_url}\n",
            self.url,
            incident.id,
            texts.email_update_footer(&name),
        );
        Email {
            to: subscriber.contact.address.clone(),
            subject: format!("{name}: {}", line(&incident.title)),
            text,
            thread: Some(self.thread(incident)),
            unsubscribe: Some(unsubscribe_url),
            html: None,
        }
    }

    fn affected<'i>(&'i self, incident: &'i Incident) -> Vec<(&'i str, &'i str, Impact)> {
        let hits = incident.affected.iter().filter_map(|hit| {
            let mut names = self.names.iter();
            let (id, name) = names.find(|(id, _)| *id == hit.status_page_monitor_id)?;
            Some((id.as_str(), name.as_str(), hit.impact))
        });
        hits.collect()
    }

    fn about_page(&self) -> Value {
        json!({ "id": self.page.id, "name": self.page.fields.name, "url": self.url })
    }

    fn notice(&self, subscriber: &Subscriber, news: &News) -> Notice {
        let one = &news.incident;
        let hits = self.affected(one).into_iter();
        let hits: Vec<Value> = hits
            .map(|(id, name, impact)| json!({ "id": id, "name": name, "impact": impact }))
            .collect();
        let url = format!("{}#{}", self.url, one.id);
        let data = json!({
            "page": self.about_page(),
            "incident": {
                "id": one.id,
                "kind": one.kind,
                "title": one.title,
                "status": one.status,
                "severity": one.severity,
                "createdAt": iso_ms(one.created_ms),
                "resolvedAt": one.resolved_ms.map(iso_ms),
                "startsAt": one.starts_ms.map(iso_ms),
                "endsAt": one.ends_ms.map(iso_ms),
                "message": news.message,
                "affected": hits,
                "url": url,
            },
            "unsubscribeUrl": self.unsubscribe_url(subscriber),
        });
        Notice {
            kind: news.kind.clone(),
            timestamp: iso_ms(news.at_ms),
            title: format!("{}: {}", line(&self.page.fields.name), line(&one.title)),
            text: news.message.clone(),
            link: url,
            thread: self.thread(one),
            resolved: one.is_over(),
            data,
        }
    }
}

/// The message that asks for a confirmation.
pub(in super::super) fn confirmation(
    env: &StatusPagesEnv,
    vault: &Vault,
    page: &StatusPage,
    subscriber: &Subscriber,
) -> Delivery {
    let builder = MessageBuilder {
        page,
        base: &env.base_url,
        url: env.page_url(page),
        vault,
        names: Vec::new(),
    };
    let asked_ms = subscriber.asked_ms;
    let token = vault
        .links
        .confirmation_token(subscriber.id.as_str(), asked_ms);
    let confirm_url = format!("{}/subscriptions/{token}/confirm", env.base_url);
    let key = format!(
        "{}confirm:{asked_ms}",
        subscriber_prefix(&page.id, &subscriber.id)
    );
    let organization = Some(page.organization.clone());
    let name = line(&page.fields.name);
    let texts = page.fields.texts(subscriber.language);
    let thread = format!("page:{}:subscription:{}", page.id, subscriber.id);
    match subscriber.contact.kind {
        SubscriberKind::Email => Email {
            to: subscriber.contact.address.clone(),
            subject: texts.email_confirm_subject(&name).into_owned(),
            text: texts
                .email_confirm(&name, &builder.url, &confirm_url)
                .into_owned()
                + "\n",
            thread: Some(thread),
            unsubscribe: None,
            html: None,
        }
        .delivery(key, organization),
        SubscriberKind::Webhook => Hook {
            to: webhook(subscriber),
            notice: Notice {
                kind: "subscription.confirm".to_owned(),
                timestamp: iso_ms(asked_ms),
                title: format!("{name}: confirm your subscription"),
                text: "Post to `confirmUrl` within 24 hours to get updates.".to_owned(),
                link: confirm_url.clone(),
                thread,
                resolved: false,
                data: json!({
                    "page": builder.about_page(),
                    "confirmUrl": confirm_url,
                    "unsubscribeUrl": builder.unsubscribe_url(subscriber),
                    "secret": subscriber.secret,
                }),
            },
        }
        .delivery(key, organization),
    }
}

fn webhook(subscriber: &Subscriber) -> Channel {
    Channel {
        identifier: subscriber.contact.address.clone(),
        secrets: subscriber.secret.clone().into_iter().collect(),
        ..Channel::default()
    }
}
