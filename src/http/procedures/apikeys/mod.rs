//! `/apikeys/*`: for people with website-configure permission, never for keys, also not beside a cookie
//! (threat T8: a key that is present is the caller).

pub mod verify;
pub mod wire;

use super::{Call, Group, bodies::IdBody, success::Success};
use crate::{
    access::keys::{KeyAccess, KeyOwner, manage, manage_one, own_website},
    actors::{
        audit::Actor,
        keys::{
            CreateKey, DeleteKey, KeyChange, Manager, Resources, RevokeKey, RotateKey, UpdateKey,
        },
    },
    fault::Fault,
    ids::{KeyId, OrganizationId},
};
use wire::{CreateBody, KeyDetails, KeyOut, ListBody, Revoked, SecretOut, UpdateBody};

const GROUP: Group = Group::new("apikeys", "API Keys");

procedures! { GROUP + verify;
    LIST = "list", reads(KeysManage), list(ListBody) -> Vec<KeyOut>: "List API keys, newest first";
    GET_BY_ID = "getById", reads(KeysManage), get_by_id(IdBody) -> KeyDetails: "Get an API key";
    CREATE = "create", acts(KeysManage), create(CreateBody, check) -> SecretOut:
        "Create an API key; its secret is shown only once";
    UPDATE = "update", acts(KeysManage), update(UpdateBody, check) -> KeyDetails:
        "Change an API key's name, rights or limits";
    REVOKE = "revoke", acts(KeysManage), revoke(IdBody) -> Revoked: "Revoke an API key permanently";
    ROTATE = "rotate", acts(KeysManage), rotate(IdBody) -> SecretOut:
        "Rotate an API key's secret; the old one stops at once";
    DELETE = "delete", acts(KeysManage), delete(IdBody) -> Success: "Delete an API key";
}

async fn list(call: Call, body: ListBody) -> Result<Vec<KeyOut>, Fault> {
    let view = call.shared.keys.view();
    let organization = call.organization(body.organization_id.as_deref())?;
    let access = manage(&call.caller, Some(&organization))?;
    let mut keys = view.owned_by(&organization);
    if body.organization_id.is_none() {
        keys.extend(view.loose(access.user()));
    }
    Ok(keys.iter().map(|key| KeyOut::from(&**key)).collect())
}

async fn get_by_id(call: Call, body: IdBody) -> Result<KeyDetails, Fault> {
    find(&call, &body.id)?;
    let key = call.shared.keys.view().by_id(&body.id).cloned();
    let key = key.ok_or_else(|| Fault::not_found("API key", body.id))?;
    Ok(KeyDetails::new(&key, &call.shared.limits.load()))
}

async fn create(call: Call, body: CreateBody) -> Result<SecretOut, Fault> {
    let organization = body.organization_id.as_deref().map(OrganizationId::from);
    let access = manage(&call.caller, organization.as_ref())?;
    let draft = CreateKey {
        by: manager(&call, &access),
        organization,
        created_by: Some(access.user().clone()),
        ..body.draft()
    };
    websites(&call, &access, draft.resources.as_ref())?;
    Ok(SecretOut::from(call.shared.keys.ask(draft).await?))
}

async fn update(call: Call, body: UpdateBody) -> Result<KeyDetails, Fault> {
    let access = find(&call, &body.id)?;
    let id = KeyId::from(body.id.as_str());
    let change: KeyChange = body.into();
    websites(&call, &access, change.resources.set())?;
    let by = manager(&call, &access);
    let message = UpdateKey { by, id, change };
    let key = call.shared.keys.ask(message).await?;
    Ok(KeyDetails::new(&key, &call.shared.limits.load()))
}

async fn revoke(call: Call, body: IdBody) -> Result<Revoked, Fault> {
    let by = manager(&call, &find(&call, &body.id)?);
    let id = KeyId::from(body.id);
    let key = call.shared.keys.ask(RevokeKey { by, id }).await?;
    Ok(Revoked::from(KeyOut::from(&*key)))
}

async fn rotate(call: Call, body: IdBody) -> Result<SecretOut, Fault> {
    let by = manager(&call, &find(&call, &body.id)?);
    let id = KeyId::from(body.id);
    let new = call.shared.keys.ask(RotateKey { by, id }).await?;
    Ok(SecretOut::from(new))
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let by = manager(&call, &find(&call, &body.id)?);
    let id = KeyId::from(body.id);
    call.shared.keys.ask(DeleteKey { by, id }).await?;
    Ok(Success::YES)
}

/// The right to manage this key.
fn find(call: &Call, id: &str) -> Result<KeyAccess, Fault> {
    let view = call.shared.keys.view();
    let owner = view.by_id(id).map(|key| KeyOwner {
        organization: key.organization(),
        created_by: key.created_by.as_ref(),
    });
    manage_one(&call.caller, id, owner)
}

fn manager(call: &Call, access: &KeyAccess) -> Manager {
    Manager {
        actor: Actor::from(&call.caller),
        role: access.role(),
    }
}

/// Every website that a key names is its organization's.
fn websites(call: &Call, access: &KeyAccess, named: Option<&Resources>) -> Result<(), Fault> {
    let view = call.shared.websites.view();
    for id in named.iter().flat_map(|named| named.websites.keys()) {
        let site = view.by_id(id.as_str()).map(|website| website.site());
        own_website(access, id.as_str(), site.as_ref())?;
    }
    Ok(())
}
