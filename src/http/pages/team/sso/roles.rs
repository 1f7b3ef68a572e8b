//! Rules of a provider: a role and a group on each line.

use serde_json::{Value, json};

use crate::{
    access::Role,
    fault::Issue,
    http::pages::form::{Choices, FormData, Rows},
    pages::{part::Field, problem::Problems},
};
use maud::Markup;

const NAME: &str = "roles";

#[derive(Debug)]
pub(super) struct GroupRoles;

impl Rows for GroupRoles {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let rules = value.as_array().into_iter().flatten();
        let line = |rule: &Value| {
            let text = |name: &str| rule[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}", text("role"), text("group"))
        };
        let lines: Vec<String> = rules.map(line).collect();
        vec![(NAME.to_owned(), lines.join("\n"))]
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let mut rules = Vec::new();
        for line in sent.lines(NAME) {
            let rule = line.split_once(' ');
            let rule = rule.and_then(|(role, group)| Some((Role::parse(role)?, group.trim())));
            if let Some((role, group)) = rule {
                rules.push(json!({ "role": role, "group": group }));
            } else {
                let message = format!("`{line}` has no role: write `member {line}`, for example");
                issues.push(Issue::new("invalid_value", NAME, message));
            }
        }
        Some(rules.into())
    }

    fn is_used(&self, sent: &FormData) -> bool {
        !sent.text(NAME).is_empty()
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        Field::text(NAME, "Roles by group")
            .hint("One per line: the role, then the group. Example: admin pharos-admins. A member without a matching group leaves, if a group gave the membership.")
            .value(sent.raw(NAME))
            .optional()
            .lines(3, problems)
    }
}
