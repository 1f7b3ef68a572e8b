//! Which procedure takes a file: the one of its format.

use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            flags::ScopeBody,
            imports::{self, Encoding, FileBody, FlagsBody, LinksBody, MonitorsBody, PlanOut},
        },
    },
    importers::{Format, links::LinkFormat},
};

/// A form with its file.
pub(super) struct Upload<'u> {
    pub(super) sent: &'u FormData,
    /// The file in base64.
    pub(super) content: String,
}

impl Upload<'_> {
    /// The format that is chosen; the first one, if none is.
    fn format(&self) -> Format {
        let chosen = Format::find(self.sent.text("format"));
        chosen.unwrap_or(Format::Links(LinkFormat::Bitly))
    }

    /// Plans what the file would create, or creates it.
    pub(super) async fn run(&self, context: &PageContext, apply: bool) -> Result<PlanOut, Fault> {
        let file = FileBody {
            content: self.content.clone(),
            encoding: Encoding::Base64,
        };
        match self.format() {
            Format::Links(format) => {
                let body = LinksBody {
                    organization_id: None,
                    format,
                    file,
                };
                let procedures = [&imports::PLAN_LINKS, &imports::APPLY_LINKS];
                context.ask(procedures[usize::from(apply)], body).await
            }
            Format::Monitors(format) => {
                let body = MonitorsBody {
                    organization_id: None,
                    format,
                    file,
                };
                let procedures = [&imports::PLAN_MONITORS, &imports::APPLY_MONITORS];
                context.ask(procedures[usize::from(apply)], body).await
            }
            Format::Flags(format) => {
                let body = FlagsBody {
                    scope: ScopeBody {
                        website_id: self.sent.some("websiteId").map(str::to_owned),
                        organization_id: None,
                    },
                    format,
                    environment: self.sent.some("environment").map(str::to_owned),
                    file,
                };
                let procedures = [&imports::PLAN_FLAGS, &imports::APPLY_FLAGS];
                context.ask(procedures[usize::from(apply)], body).await
            }
        }
    }
}
