//! Who follows a page, for its owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GROUP, bodies::StatusPageIdBody, find};
use crate::{
    access::Permission,
    actors::status_pages::{RemoveSubscriber, Subscriber, SubscriberKind},
    clock::iso_ms,
    fault::Fault,
    http::procedures::{Call, success::Success},
};

procedures! { GROUP;
    LIST_SUBSCRIBERS = "listSubscribers", reads(StatusPageWrite), list(StatusPageIdBody) -> Vec<SubscriberOut>:
        "List the subscribers of a page, with their addresses";
    REMOVE_SUBSCRIBER = "removeSubscriber", changes(StatusPageWrite), remove(RemoveBody) -> Success:
        "Remove a subscriber from a page; succeeds also when there is none";
}

/// A subscriber of a page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageSubscriber")]
#[serde(rename_all = "camelCase")]
pub struct SubscriberOut {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: SubscriberKind,
    pub address: String,
    /// Ids of the monitors that it follows; null = all of the page.
    pub components: Option<Vec<String>>,
    pub status: SubscriberStatus,
    pub created_at: String,
    pub confirmed_at: Option<String>,
}

/// Whether a subscriber gets messages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageSubscriberStatus")]
#[serde(rename_all = "lowercase")]
pub enum SubscriberStatus {
    /// Once that is confirmed.
    Waiting,
    /// It is.
    Active,
}

impl SubscriberOut {
    fn new(one: Subscriber) -> Self {
        Self {
            id: one.id.to_string(),
            kind: one.contact.kind,
            address: one.contact.address,
            components: one.components.filter(|_| one.confirmed_ms.is_some()),
            status: match one.confirmed_ms {
                None => SubscriberStatus::Waiting,
                Some(_) => SubscriberStatus::Active,
            },
            created_at: iso_ms(one.created_ms),
            confirmed_at: one.confirmed_ms.map(iso_ms),
        }
    }
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoveBody {
    pub status_page_id: String,
    pub subscriber_id: String,
}

pub(super) async fn list(call: Call, body: StatusPageIdBody) -> Result<Vec<SubscriberOut>, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let view = call.shared.status_pages.view();
    let all = view.subscribers(&page.id).await?;
    Ok(all.into_iter().map(SubscriberOut::new).collect())
}

pub(super) async fn remove(call: Call, body: RemoveBody) -> Result<Success, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let message = RemoveSubscriber {
        page: page.id.clone(),
        id: body.subscriber_id.into(),
    };
    call.shared.status_pages.ask(message).await?;
    Ok(Success::YES)
}
