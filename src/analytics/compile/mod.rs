//! (type, request, proof) → statement and what to make of its rows.
//!
//! The text depends on the type, the fields and operators of the filters, the number of values rounded up to a
//! power of two, and the number of clock changes in the range: a finite set. Everything else is bound.

mod attribution;
pub(super) mod clicks;
mod condition;
mod fold;
mod marks;
mod measured;
mod near;
mod openings;
mod order;
mod plan;
mod predicate;
mod select;
mod series;
pub(super) mod steps;
pub(super) mod values;
mod visits;

use crate::{
    analytics::{
        catalogue::{About, Field, Shape, Show, Subject, TRAIT, Values},
        dialect::Dialect,
        range::{Bucket, EPOCH_MS, Granularity, Range, Segment},
        request::{CohortRequest, Parameter, Request},
        target::Target,
    },
    events::{
        extracts::{Extract, QUARTER},
        statement::{Scope, Statement},
    },
};

pub(super) use series::{Series, SeriesSort};

/// One parameter of a request, ready to be compiled.
pub(super) struct Ask<'a> {
    pub(super) target: &'a Target,
    pub(super) request: &'a Request,
    pub(super) parameter: &'a Parameter,
    pub(super) range: Range,
    pub(super) now_ms: i64,
    pub(super) dialect: Dialect,
    /// What is read in place of events.
    pub(super) extract: Option<Extract>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) name: &'static str,
    /// Index of the statement's column that it shows.
    pub(super) source: usize,
    pub(super) show: Show,
}

/// How the statement's rows become the answer's.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Finish {
    Rows,
    /// As they are; a bucket key is written as its label.
    Labelled(Vec<Bucket>),
    /// One row per bucket, zeros where the statement gives none.
    Series(Series),
    /// Cohorts of these buckets, behind a row that adds them up.
    Cohorts(CohortRequest, Vec<Bucket>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compiled {
    pub(super) statement: Statement,
    pub(super) outputs: Vec<Output>,
    pub(super) finish: Finish,
    /// Whether what it says of a part of the range depends on the rest.
    pub(super) entire: bool,
    /// Whether what is read in place of events has all that the statement asks for.
    pub(super) fits: bool,
    /// Per filter of the request, whether it acts.
    pub(super) acts: Vec<bool>,
    /// Names of the filters that do not.
    pub(super) ignored_filters: Vec<String>,
    /// Names of the `groupBy` fields that do not.
    pub(super) ignored_groups: Vec<&'static str>,
}

impl Ask<'_> {
    /// The statement and what to make of its rows, over the coarsest extract that has all of it if there is one.
    pub(super) fn compile(&self) -> Compiled {
        let mut compiled = self.compile_once();
        compiled.statement =
            self.or_spilling(compiled.statement, |ask| ask.compile_once().statement);
        compiled
    }

    /// The statement, with the one that is made of the same question for an engine without our aggregates where that differs.
    fn or_spilling(
        &self,
        statement: Statement,
        make: impl FnOnce(&Ask<'_>) -> Statement,
    ) -> Statement {
        if self.dialect != Dialect::DuckDb {
            return statement;
        }
        let other = make(&Ask {
            dialect: Dialect::Spilling,
            ..*self
        });
        let differs = other.text != statement.text;
        Statement {
            spilling: differs.then(|| Box::new(other)),
            ..statement
        }
    }

    fn compile_once(&self) -> Compiled {
        let mut extracts = Extract::ALL.into_iter().filter(|_| self.may_use_extracts());
        let found = extracts.find_map(|extract| {
            let ask = Ask {
                extract: Some(extract),
                ..*self
            };
            Some(plan::compile(&ask)).filter(|compiled| compiled.fits)
        });
        found.unwrap_or_else(|| plan::compile(self))
    }

    /// Whether the type can be computed from extracts in this zone. Only the embedded engine has them.
    fn may_use_extracts(&self) -> bool {
        let is_extracted = match self.parameter.kind.shape {
            Shape::Measured { fold, .. } => fold.extracted.is_some(),
            Shape::Custom { extracted, .. } => extracted.is_some(),
            Shape::List { .. } => false,
        };
        let whole = |cut: &Segment| cut.shift % QUARTER == 0;
        self.dialect.is_embedded()
            && self.grain() != Granularity::Minute
            && is_extracted
            && series::cuts(self).iter().all(whole)
    }

    /// The field as the type means it, for this target; nothing when the type does not know it.
    fn meaning(&self, field: &Field) -> Option<&'static Field> {
        let (kind, access) = (self.parameter.kind, &self.target.access);
        let hidden = access.public_only() && field.is_personal();
        let named = |known: &&Field| known.name == field.name;
        let of_people = field.values == Values::Trait && kind.about == About::People;
        let of_organization = access.website().is_none()
            && kind.subject == Subject::Website
            && field.name == "website_id";
        let own = kind
            .filter_fields()
            .find(named)
            .or_else(|| of_people.then_some(&TRAIT));
        own.filter(|_| !hidden)
            .or_else(|| Field::find("website_id").filter(|_| of_organization))
    }

    /// The instants that are counted, from the first up to the last.
    fn span(&self) -> (i64, i64) {
        let (mut from, mut to) = self.range.within_events(self.now_ms);
        if let Some((earlier, _)) = self.parameter.settings.earlier {
            from = from.min(earlier.max(EPOCH_MS));
        }
        if let Some(retention) = &self.parameter.retention {
            to = to.max(retention.observed_before(self.now_ms));
        }
        (from, to)
    }

    /// Whose events are read, and of what time: more than is counted where it matters how visits began.
    fn scope(&self, by_visit: bool) -> Scope {
        let (from, to) = self.span();
        let earlier = if by_visit {
            attribution::LOOKBACK_MS
        } else {
            0
        };
        let access = &self.target.access;
        Scope {
            organization: access.organization().0,
            website: access.website().map(|website| website.0),
            from: from.min((from - earlier).max(EPOCH_MS)),
            to,
        }
    }

    fn grain(&self) -> Granularity {
        self.parameter.grain
    }
}
