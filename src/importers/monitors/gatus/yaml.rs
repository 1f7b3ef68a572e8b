//! YAML as JSON, with bounds on aliases, nesting and nodes.

use serde_json::Value;

use crate::importers::ImportError;

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 100_000;
/// Nodes that aliases repeat, all of them together.
const MAX_REPEATED: usize = 20_000;
/// Bytes of texts that aliases may repeat.
const MAX_TEXT: usize = 32 << 10;
const MAX_ALIASES: usize = 1_000;

pub(super) fn read(text: &str) -> Result<Value, ImportError> {
    let mut options = serde_saphyr::Options::default();
    let mut budget = serde_saphyr::Budget::default();
    budget.max_depth = MAX_DEPTH;
    budget.flow_nesting_limit = MAX_DEPTH;
    budget.max_nodes = MAX_NODES;
    budget.max_events = 3 * MAX_NODES;
    budget.max_aliases = MAX_ALIASES;
    budget.max_anchors = MAX_ALIASES;
    budget.max_recorded_anchor_events = MAX_REPEATED;
    budget.max_recorded_anchor_bytes = MAX_TEXT;
    budget.max_documents = 1;
    options.budget = Some(budget);
    options.alias_limits.max_total_replayed_events = MAX_REPEATED;
    options.alias_limits.max_replay_stack_depth = MAX_DEPTH;
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let at = error.location().map_or_else(String::new, |place| {
            format!("line {}, column {}", place.line(), place.column())
        });
        let what = error.to_string();
        let what = what.lines().next().unwrap_or_default();
        ImportError::at(at, format!("The file isn't YAML that can be read: {what}"))
    })
}
