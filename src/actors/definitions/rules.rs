//! What must be true of what is saved (pure).

use serde_json::{Map, Value};

use super::{
    Saved,
    fields::{AnnotationFields, AnnotationType, FunnelFields, GoalFields, SegmentFields},
    question,
};
use crate::{
    actors::{issues::Issues, patch},
    analytics::{funnel::MAX_STEPS, range::parse_moment},
    fault::Issue,
};

/// So many of a kind may a website have.
pub(super) const MAX: u64 = 1_000;
/// A year: no window is longer.
const MAX_WINDOW_S: u64 = 366 * 24 * 60 * 60;
const MAX_TAGS: usize = 20;
const MAX_SEGMENT: usize = 50;

/// The same, tidied and as a whole acceptable.
pub(super) fn checked(saved: Saved) -> Result<Saved, Vec<Issue>> {
    let mut issues = Issues::default();
    let saved = match saved {
        Saved::Goal(fields) => Saved::Goal(goal(fields, &mut issues)),
        Saved::Funnel(fields) => Saved::Funnel(funnel(fields, &mut issues)),
        Saved::Annotation(fields) => Saved::Annotation(annotation(fields, &mut issues)),
        Saved::Segment(fields) => Saved::Segment(segment(fields, &mut issues)),
    };
    issues.finish(saved)
}

/// What is wrong with it, without making anything of it.
pub fn check(saved: Saved) -> Vec<Issue> {
    checked(saved).err().unwrap_or_default()
}

/// The same with some fields changed.
pub(super) fn patched(saved: &Saved, change: &Map<String, Value>) -> Result<Saved, Vec<Issue>> {
    let after = match saved {
        Saved::Goal(fields) => Saved::Goal(patch::patched(("goal", fields), change, "")?),
        Saved::Funnel(fields) => Saved::Funnel(patch::patched(("funnel", fields), change, "")?),
        Saved::Annotation(fields) => {
            Saved::Annotation(patch::patched(("annotation", fields), change, "")?)
        }
        Saved::Segment(fields) => Saved::Segment(patch::patched(("segment", fields), change, "")?),
    };
    checked(after)
}

fn goal(fields: GoalFields, issues: &mut Issues) -> GoalFields {
    let fields = GoalFields {
        name: short(&fields.name, "name", 100, issues),
        description: fields.description.and_then(|text| optional(&text, issues)),
        ..fields
    };
    issues.extend(question::goal(&fields).err().unwrap_or_default());
    fields
}

fn funnel(fields: FunnelFields, issues: &mut Issues) -> FunnelFields {
    let fields = FunnelFields {
        name: short(&fields.name, "name", 100, issues),
        description: fields.description.and_then(|text| optional(&text, issues)),
        ..fields
    };
    if !(2..=MAX_STEPS).contains(&fields.steps.len()) {
        let message = format!("a funnel has 2 to {MAX_STEPS} steps");
        issues.refuse("invalid_value", "steps", message);
        // Of too few, what else is wrong is said, too.
        if fields.steps.len() > MAX_STEPS {
            return fields;
        }
    }
    for (place, step) in fields.steps.iter().enumerate() {
        short(&step.name, &format!("steps[{place}].name"), 100, issues);
    }
    let window = fields.window_seconds;
    let fits = window.is_none_or(|seconds| (1..=MAX_WINDOW_S).contains(&seconds));
    let message = format!("1 to {MAX_WINDOW_S} seconds, or null");
    issues.require(fits, "invalid_value", "windowSeconds", message);
    issues.extend(question::funnel(&fields).err().unwrap_or_default());
    fields
}

fn segment(fields: SegmentFields, issues: &mut Issues) -> SegmentFields {
    let fields = SegmentFields {
        name: short(&fields.name, "name", 100, issues),
        description: fields.description.and_then(|text| optional(&text, issues)),
        ..fields
    };
    let fits = (1..=MAX_SEGMENT).contains(&fields.filters.len());
    let message = format!("a segment has 1 to {MAX_SEGMENT} filters");
    issues.require(fits, "invalid_value", "filters", message);
    let wrong = question::filters(&fields.filters, "filters");
    issues.extend(wrong.err().unwrap_or_default());
    fields
}

fn annotation(fields: AnnotationFields, issues: &mut Issues) -> AnnotationFields {
    let fields = AnnotationFields {
        text: short(&fields.text, "text", 500, issues),
        ..fields
    };
    let mut wrong = |field: &str, message: &str| {
        issues.refuse("invalid_value", field, message);
    };
    if fields.chart_type != "metrics" {
        wrong("chartType", "the kinds of charts: `metrics`");
    }
    let start = begins(&fields.x_value);
    if start.is_none() {
        wrong("xValue", "a day (YYYY-MM-DD) or a moment (ISO 8601)");
    }
    let end = fields.x_end_value.as_deref().map(begins);
    match (fields.annotation_type, end) {
        (AnnotationType::Range, None) => wrong("xEndValue", "a range needs an end"),
        (_, Some(None)) => wrong("xEndValue", "a day (YYYY-MM-DD) or a moment (ISO 8601)"),
        (_, Some(Some(end))) if start.is_some_and(|start| end < start) => {
            wrong("xEndValue", "the end lies before `xValue`");
        }
        _ => {}
    }
    if fields.y_value.is_some_and(|value| !value.is_finite()) {
        wrong("yValue", "a number");
    }
    let tags = fields.tags.as_deref().unwrap_or_default();
    let fits = |tag: &String| (1..=50).contains(&tag.trim().chars().count());
    if tags.len() > MAX_TAGS || !tags.iter().all(fits) {
        wrong("tags", "at most 20 tags, each of 1 to 50 characters");
    }
    let digits = fields.color.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        wrong("color", "a color such as #3B82F6");
    }
    context(&fields, &mut wrong);
    fields
}

fn context(fields: &AnnotationFields, wrong: &mut impl FnMut(&str, &str)) {
    let range = &fields.chart_context.date_range;
    for (field, text) in [
        ("start_date", &range.start_date),
        ("end_date", &range.end_date),
    ] {
        if begins(text).is_none() {
            let place = format!("chartContext.dateRange.{field}");
            wrong(&place, "a day (YYYY-MM-DD) or a moment (ISO 8601)");
        }
    }
    if !["hourly", "daily", "weekly", "monthly"].contains(&range.granularity.as_str()) {
        let place = "chartContext.dateRange.granularity";
        wrong(place, "`hourly`, `daily`, `weekly` or `monthly`");
    }
    let size = serde_json::to_string(&fields.chart_context).map_or(0, |text| text.len());
    if size > 16_384 {
        wrong("chartContext", "at most 16 KB");
    }
}

/// When a day or moment begins, in UTC; Unix milliseconds.
pub fn begins(text: &str) -> Option<i64> {
    let (start, _) = parse_moment(text)?.start_in(chrono_tz::Tz::UTC);
    Some(start)
}

/// The first millisecond after a day or moment, in UTC.
pub fn ends(text: &str) -> Option<i64> {
    let (end, _) = parse_moment(text)?.end_in(chrono_tz::Tz::UTC);
    Some(end)
}

/// A text without white space around it, of 1 to so many characters.
fn short(text: &str, field: &str, most: usize, issues: &mut Issues) -> String {
    let text = text.trim();
    let is_control = |c: char| c.is_control() && c != '\n';
    let fits = (1..=most).contains(&text.chars().count()) && !text.chars().any(is_control);
    let message = format!("has 1 to {most} characters and no control characters");
    issues.require(fits, "invalid_value", field, message);
    text.to_owned()
}

/// A description; an empty one is none.
fn optional(text: &str, issues: &mut Issues) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| short(text, "description", 500, issues))
}
