//! Random flags and contexts, the same in every run.

use serde_json::{Map, Value, json};

/// Numbers that look random (xorshift).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }

    pub(super) fn is_one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len() as u64) as usize].clone()
    }

    fn some(&mut self, among: &[&str]) -> Vec<String> {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.pick(among).to_owned()).collect()
    }

    pub(super) fn id(&mut self) -> String {
        let number = self.below(1 << 40);
        match self.below(8) {
            0 => format!("{number}"),
            1 => format!("user-{number}@shop.example"),
            2 => format!("Größe {number} 😀"),
            _ => format!("{number:x}-{:x}", self.below(1 << 20)),
        }
    }
}

const PLANS: [&str; 6] = ["free", "pro", "ProMax", "größer", "a,b", "5"];
const USERS: [&str; 4] = ["anna", "ben", "user-7", "carla@shop.example"];
const FIELDS: [&str; 3] = ["plan", "region", "sessionId"];

/// A context as clients of Unleash have it.
pub(super) fn context(random: &mut Random) -> Value {
    let mut context = Map::new();
    let mut properties = Map::new();
    if !random.is_one_in(6) {
        let user = if random.is_one_in(3) {
            random.pick(&USERS).to_owned()
        } else {
            random.id()
        };
        context.insert("userId".to_owned(), user.into());
    }
    if random.is_one_in(2) {
        context.insert("sessionId".to_owned(), random.id().into());
    }
    for name in ["plan", "region", "email", "organizationId", "teamId"] {
        let value = match (name, random.below(4)) {
            (_, 0) => continue,
            ("plan" | "region", 1) => String::new(),
            ("plan" | "region", _) => random.pick(&PLANS).to_owned(),
            ("email", _) => random.pick(&USERS).to_owned(),
            _ => random.id(),
        };
        properties.insert(name.to_owned(), value.into());
    }
    context.insert("properties".to_owned(), Value::Object(properties));
    Value::Object(context)
}

pub(super) fn rule(random: &mut Random, depth: u32, may_share: bool) -> Value {
    let kind = random.below(if depth == 0 { 7 } else { 5 });
    match kind {
        5 | 6 => {
            let kind = random.pick(&["all", "any", "not"]);
            let count = 1 + random.below(3);
            let rules: Vec<_> = (0..count)
                .map(|_| rule(random, depth + 1, may_share && kind != "not"))
                .collect();
            json!({ "type": kind, "rules": rules })
        }
        4 if may_share => {
            let mut share = json!({ "type": "percentage", "value": random.below(101) });
            if random.is_one_in(3) {
                share["field"] = json!(random.pick(&FIELDS));
            }
            share
        }
        3 => {
            let value = random.pick(&["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"]);
            json!({ "type": "time", "operator": random.pick(&["before", "after"]), "value": value })
        }
        2 => {
            let operator =
                random.pick(&["equals", "in", "not_in", "contains", "exists", "not_exists"]);
            json!({
                "type": "property", "field": random.pick(&FIELDS), "operator": operator, "value": random.pick(&PLANS),
                "values": random.some(&PLANS), "batch": random.is_one_in(4), "batchValues": random.some(&PLANS),
            })
        }
        _ => {
            let operator = random.pick(&[
                "equals",
                "in",
                "not_in",
                "contains",
                "starts_with",
                "ends_with",
            ]);
            json!({
                "type": random.pick(&["user_id", "email"]), "operator": operator,
                "value": random.pick(&["anna", "u", "7", "@shop.example"]), "values": random.some(&USERS),
                "batch": random.is_one_in(4), "batchValues": random.some(&USERS),
            })
        }
    }
}

fn variants(random: &mut Random) -> Vec<Value> {
    let count = 1 + random.below(4);
    let is_weighted = random.is_one_in(2);
    let mut left = 1_000;
    (0..count)
        .map(|at| {
            let value = random.pick(&[
                json!("text"),
                json!(5),
                json!(1.5),
                json!({ "a": [1, null] }),
                json!(true),
            ]);
            let kind = match &value {
                Value::String(_) => "string",
                Value::Number(_) => "number",
                _ => "json",
            };
            let mut variant = json!({ "key": format!("v{at}"), "value": value, "type": kind });
            if is_weighted {
                let tenths = if at + 1 == count {
                    left
                } else {
                    random.below(left + 1)
                };
                left -= tenths;
                variant["weight"] = json!(tenths as f64 / 10.0);
            }
            variant
        })
        .collect()
}

/// A flag; most can be translated, and the others use what can't be.
pub(super) fn flag(random: &mut Random, number: usize) -> Value {
    let kind = random.pick(&["boolean", "rollout", "rollout", "multivariant"]);
    let is_own = random.is_one_in(8);
    let count = random.below(3);
    let rules: Vec<_> = (0..count)
        .map(|_| {
            let enabled = !random.is_one_in(3);
            let mut rule = rule(random, 0, enabled && !is_own);
            rule["enabled"] = json!(enabled);
            rule
        })
        .collect();
    let mut flag = json!({
        "key": format!("flag-{number:03}"), "type": kind, "defaultValue": random.is_one_in(2), "rules": rules,
        "rolloutPercentage": random.below(101), "rolloutBy": random.pick(&[json!(null), json!("user"), json!("organization"), json!("team")]),
        "bucketing": if is_own { "pharos" } else { "unleash" },
    });
    if !is_own && random.is_one_in(3) {
        flag["bucketingGroup"] = json!(random.pick(&["checkout", "old name", "größe"]));
    }
    if kind == "multivariant" {
        flag["variants"] = json!(variants(random));
    }
    if random.is_one_in(3) {
        flag["payload"] = json!({ "limit": random.below(9), "text": "größer" });
    }
    flag
}
