//! (type, request, proof) → statement and what to make of its rows.
//!
//! The text depends on the type, the fields and operators of the filters, the number of values rounded up to a
//! power of two, and the number of clock changes in the range: a finite set. Everything else is bound.

mod fold;
mod measured;
mod order;
mod plan;
mod predicate;
mod series;

use crate::{
    analytics::{
        catalogue::{Field, Show},
        dialect::Dialect,
        range::{Bucket, Grain, Range},
        request::{Parameter, Request},
        run::Target,
    },
    events::statement::Statement,
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
}

/// A column of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Output {
    /// Its name.
    pub(super) name: &'static str,
    /// Index of the statement's column that it shows.
    pub(super) source: usize,
    /// How it is written.
    pub(super) show: Show,
}

/// How the statement's rows become the answer's.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Finish {
    /// As they are.
    Rows,
    /// As they are; a bucket key is written as its label.
    Labelled(Vec<Bucket>),
    /// One row per bucket, zeros where the statement gives none.
    Series(Series),
}

/// A compiled parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compiled {
    pub(super) statement: Statement,
    pub(super) outputs: Vec<Output>,
    pub(super) finish: Finish,
    /// Whether what it says of a part of the range depends on the rest.
    pub(super) entire: bool,
    /// Per filter of the request, whether it acts.
    pub(super) acts: Vec<bool>,
    /// Names of the filters that do not.
    pub(super) ignored_filters: Vec<&'static str>,
    /// Names of the `groupBy` fields that do not.
    pub(super) ignored_groups: Vec<&'static str>,
}

impl Ask<'_> {
    /// The statement and what to make of its rows.
    pub(super) fn compile(&self) -> Compiled {
        plan::compile(self)
    }

    /// Whether the type knows the field, for this target.
    fn knows(&self, field: &Field) -> bool {
        let of_organization = self.target.access.website().is_none() && field.name == "website_id";
        let hidden = self.target.access.public_only() && field.is_personal();
        let mut fields = self.parameter.kind.filter_fields();
        of_organization || (!hidden && fields.any(|known| known == field))
    }

    fn grain(&self) -> Grain {
        self.parameter.grain
    }
}
