//! The HTML of imports.

use super::{events, family::Upload};
use crate::{
    http::{
        pages::prelude::*,
        procedures::imports::{ItemOut, OmissionOut, Outcome, PlanOut},
    },
    importers::Format,
    pages::{
        number,
        part::{Field, empty, hidden, notice, panel},
    },
};

/// Rows of a table.
const MAX_ROWS: usize = 200;

/// The form for a file.
pub(super) fn form(context: &PageContext, sent: &FormData, problems: &Problems) -> Markup {
    let formats: Vec<(&str, String)> = Format::all()
        .into_iter()
        .map(|format| (format.name(), label(format)))
        .chain(events::formats())
        .collect();
    let formats: Vec<(&str, &str)> = formats
        .iter()
        .map(|(name, label)| (*name, label.as_str()))
        .collect();
    let websites = context.websites();
    let websites: Vec<(&str, &str)> = std::iter::once(("", "Whole organization"))
        .chain(
            websites
                .iter()
                .map(|one| (one.id.as_str(), one.name.as_str())),
        )
        .collect();
    let fields = html! {
        (Field::text("format", "Product").value(sent.text("format")).select(&formats, problems))
        (Field::text("websiteId", "Website").value(sent.text("websiteId")).optional().hint("Only for events and feature flags.").select(&websites, problems))
        (Field::text("environment", "Environment").value(sent.text("environment")).optional().hint("Only for feature flags. Default: production.").draw(problems))
        // The server has to know the fields before the file comes.
        div.field {
            label for="file" { "File" }
            input #file name="file" type="file" required aria-describedby="file-hint";
            p.hint #file-hint { "The export of the product. Files of definitions have at most 1 MiB. " code { "pharos import" } " takes larger files, and resumes." }
            @for message in problems.beside("content") { p.wrong { (message) } }
        }
    };
    let above = problems.above(&["format", "content", "websiteId", "environment"]);
    let inside = html! {
        p { "Events, short links, monitors, status pages and feature flags of another product. You see what is imported before anything changes." }
        form.form method="post" action="/console/import" enctype="multipart/form-data" {
            @for message in &above { p.wrong role="alert" { (message) } }
            (fields)
            p.send { button.button.first type="submit" { "Show plan" } }
        }
        p { "What is imported from each product: " a href="/docs/import" { "events" } ", " a href="/docs/import-definitions" { "definitions" } }
    };
    html! {
        div.title-row { h1 { (super::TITLE) } }
        (panel("File", &inside))
    }
}

/// The product and what its definitions are.
fn label(format: Format) -> String {
    let what = match format {
        Format::Links(_) => "short links",
        Format::Monitors(_) => "monitors",
        Format::Flags(_) => "feature flags",
    };
    format!("{} ({what})", format.label())
}

/// What a file would create, with a button that creates it.
pub(super) fn plan(plan: &PlanOut, upload: &Upload<'_>) -> Markup {
    let send = format!(
        "Import {}",
        number::with_noun(plan.create as u64, "definition", "definitions")
    );
    html! {
        div.title-row { h1 { (super::TITLE) } }
        (counts(plan, "will be created"))
        @if plan.create > 0 || plan.exist > 0 {
            form.form method="post" action="/console/import/apply" {
                @for name in ["format", "websiteId", "environment"] { (hidden(name, upload.sent.text(name))) }
                (hidden("content", &upload.content))
                p.send {
                    button.button.first type="submit" { (send) }
                    " " a.button href="/console/import" { "Choose another file" }
                }
            }
        } @else {
            p { a.button href="/console/import" { "Choose another file" } }
        }
        (tables(plan))
    }
}

/// What came of a file.
pub(super) fn outcome(plan: &PlanOut) -> Markup {
    html! {
        div.title-row { h1 { (super::TITLE) } }
        (counts(plan, "created"))
        p { a.button href="/console/import" { "Import another file" } }
        (tables(plan))
    }
}

fn counts(plan: &PlanOut, created: &str) -> Markup {
    let kind = if plan.refused > 0 { "warn" } else { "good" };
    let (create, exist, refused) = (plan.create as u64, plan.exist as u64, plan.refused as u64);
    notice(
        kind,
        &html! {
            (number::full(create)) " " (created) ", " (number::full(exist)) " exist already, "
            (number::full(refused)) " can’t be imported."
        },
    )
}

fn tables(plan: &PlanOut) -> Markup {
    // What cannot be imported comes first.
    let (refused, others): (Vec<&ItemOut>, Vec<&ItemOut>) = plan
        .items
        .iter()
        .partition(|item| item.outcome == Outcome::Refused);
    let items: Vec<&ItemOut> = refused.into_iter().chain(others).collect();
    html! {
        (panel("Definitions", &if items.is_empty() {
            empty("No definitions", &html! { p { "The file has nothing that can be imported." } })
        } else {
            item_table(&items)
        }))
        @if !plan.omitted.is_empty() { (panel("Not imported", &omission_table(&plan.omitted))) }
    }
}

fn item_table(items: &[&ItemOut]) -> Markup {
    html! {
        table.table.list {
            caption.hide { "Definitions of the file" }
            thead { tr { th scope="col" { "Type" } th scope="col" { "Name" } th scope="col" { "Result" } th scope="col" { "Place" } } }
            tbody { @for item in items.iter().take(MAX_ROWS) { tr {
                td data-label="Type" { (item.kind) }
                td.wide data-label="Name" { (item.name) }
                td data-label="Result" { (word(item.outcome)) @if let Some(reason) = &item.reason { ": " (reason) } }
                td data-label="Place" { code { (item.at) } }
            } } }
        }
        (more(items.len()))
    }
}

fn omission_table(omitted: &[OmissionOut]) -> Markup {
    html! {
        table.table.list {
            caption.hide { "What of the file isn’t imported" }
            thead { tr { th scope="col" { "What" } th scope="col" { "Reason" } th scope="col" { "Place" } } }
            tbody { @for one in omitted.iter().take(MAX_ROWS) { tr {
                td.wide data-label="What" { (one.what) }
                td data-label="Reason" { (one.reason) }
                td data-label="Place" { code { (one.at) } }
            } } }
        }
        (more(omitted.len()))
    }
}

fn more(count: usize) -> Markup {
    let hidden = count.saturating_sub(MAX_ROWS) as u64;
    html! { @if hidden > 0 { p.hint { (number::full(hidden)) " more aren’t shown. " code { "pharos import --plan --json" } " lists all of them." } } }
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Create => "New",
        Outcome::Created => "Created",
        Outcome::Exists => "Exists",
        Outcome::Refused => "Not imported",
    }
}
