//! Flags in flagd's format. A flag that flagd can't decide as we do is left out, with the reason.

use serde_json::{Map, Value, json};

use super::About;
use crate::{
    actors::flags::Status,
    fault::Fault,
    http::procedures::{Call, flags},
};

const SCHEMA: &str = "https://flagd.dev/schema/v0/flags.json";

pub(super) async fn write(call: Call, about: About) -> Result<Value, Fault> {
    let environment = about.environment.clone();
    let (mut carried, mut omitted) = (Map::new(), Vec::new());
    for (flag, compiled) in flags::load_compiled(&call, &about.scope()).await? {
        let fields = &flag.fields;
        let is_here = fields.environment.is_none() || fields.environment == environment;
        let translated = if is_here {
            compiled.flagd(fields.status == Status::Active)
        } else {
            Err("it is of another environment: name it with `environment`".into())
        };
        match translated {
            Ok(definition) => {
                carried.insert(fields.key.clone(), definition);
            }
            Err(reason) => {
                omitted.push(json!({ "what": format!("flag {}", fields.key), "reason": reason }));
            }
        }
    }
    Ok(json!({ "$schema": SCHEMA, "flags": carried, "omitted": omitted }))
}
