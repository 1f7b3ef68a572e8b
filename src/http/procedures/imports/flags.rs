//! Creates flags. A flag is what its key is within its website or organization.

use serde_json::{Map, Value, json};

use super::outcome::{Done, Verdict, sentences};
use crate::{
    actors::flags::{FlagFields, Scope, engine::Compiled},
    fault::Fault,
    http::procedures::{
        Call,
        flags::{CREATE, CreateBody, ScopeBody},
    },
};

pub(super) struct FlagImporter<'c> {
    call: &'c Call,
    scope: Scope,
}

impl<'c> FlagImporter<'c> {
    pub(super) const fn new(call: &'c Call, scope: Scope) -> Self {
        Self { call, scope }
    }

    pub(super) async fn import(&self, flag: FlagFields, apply: bool) -> Done {
        match self.judge(&flag).await {
            Ok(Verdict::Create) if apply => self.create(flag).await,
            Ok(verdict) => verdict.into(),
            Err(fault) => Done::failed(&fault),
        }
    }

    async fn judge(&self, flag: &FlagFields) -> Result<Verdict, Fault> {
        let mut issues = flag.check();
        if let Err(more) = Compiled::new(flag, &[]) {
            issues.extend(more);
        }
        if !issues.is_empty() {
            return Ok(Verdict::Refused(sentences(&issues)));
        }
        let existing = self
            .call
            .shared
            .flags
            .view()
            .by_key(&self.scope, &flag.key)
            .await?;
        Ok(existing.map_or(Verdict::Create, |own| Verdict::Exists(own.id.to_string())))
    }

    async fn create(&self, flag: FlagFields) -> Done {
        let fields = match json!(flag) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        let website_id = self.scope.website.as_ref().map(ToString::to_string);
        let organization_id = website_id
            .is_none()
            .then(|| self.scope.organization.to_string());
        let body = CreateBody {
            scope: ScopeBody {
                website_id,
                organization_id,
            },
            fields: fields.into(),
        };
        match CREATE.call(self.call.clone(), body).await {
            Ok(made) => Done::created(made.id),
            Err(fault) => Done::failed(&fault),
        }
    }
}
