//! Rules as a formula, and a formula as alternatives: strategies are alternatives, and the constraints of one all have to hold.

use super::{
    super::buckets::Buckets,
    Reason,
    constraint::{Constraint, property},
};

/// Alternatives of a flag at most, and values in all of them.
const MAX_TERMS: usize = 64;
const MAX_VALUES: usize = 50_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Formula {
    Is(Constraint),
    Among(Share),
    /// True if empty.
    All(Vec<Formula>),
    /// False if empty.
    Any(Vec<Formula>),
}

/// A percentage of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) percentage: u8,
    pub(super) group: Box<str>,
    /// What is in a bucket: a value of the context, or `None` for the user, or the session if there is no user.
    pub(super) stickiness: Option<Box<str>>,
}

/// One alternative.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) constraints: Vec<Constraint>,
    pub(super) share: Option<Share>,
}

impl Formula {
    pub(super) const fn constant(holds: bool) -> Self {
        if holds {
            Self::All(Vec::new())
        } else {
            Self::Any(Vec::new())
        }
    }

    pub(super) fn all(parts: Vec<Self>) -> Self {
        if parts.iter().any(|part| *part == Self::constant(false)) {
            return Self::constant(false);
        }
        Self::All(parts)
    }

    pub(super) fn any(parts: Vec<Self>) -> Self {
        if parts.iter().any(|part| *part == Self::constant(true)) {
            return Self::constant(true);
        }
        Self::Any(parts)
    }

    /// A percentage of people, or of those with the same property.
    pub(super) fn among(
        field: Option<&str>,
        buckets: &Buckets,
        below: f64,
    ) -> Result<Self, Reason> {
        let stickiness = field.map(property).transpose()?;
        Self::among_by(stickiness, buckets, below)
    }

    pub(super) fn among_by(
        stickiness: Option<&str>,
        buckets: &Buckets,
        below: f64,
    ) -> Result<Self, Reason> {
        let Buckets::Unleash(group) = buckets else {
            return match stickiness {
                _ if below <= 0.0 => Ok(Self::constant(false)),
                None if below > 99.0 => Ok(Self::constant(true)),
                _ => Err(own_buckets()),
            };
        };
        if below <= 0.0 {
            return Ok(Self::constant(false));
        }
        if !group.is_ascii() {
            return Err(
                "clients hash a group ID with letters outside ASCII in different ways".into(),
            );
        }
        if below.fract() != 0.0 {
            return Err("clients know no percentages with decimals".into());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 100"
        )]
        let percentage = below.min(100.0) as u8;
        Ok(Self::Among(Share {
            percentage,
            group: group.clone(),
            stickiness: stickiness.map(Into::into),
        }))
    }

    pub(super) fn negate(self) -> Result<Self, Reason> {
        let inner = |some: Vec<Self>| {
            some.into_iter()
                .map(Self::negate)
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Self::Is(constraint) => Self::Is(constraint.inverted()),
            Self::Among(_) => {
                return Err("a rule that turns the flag off, or `not`, has a percentage".into());
            }
            Self::All(some) => Self::any(inner(some)?),
            Self::Any(some) => Self::all(inner(some)?),
        })
    }

    /// Its alternatives, in order.
    pub(super) fn terms(self) -> Result<Vec<Term>, Reason> {
        let terms = self.expand()?;
        let constraints = terms.iter().flat_map(|term| &term.constraints);
        if constraints.map(|one| one.values.len()).sum::<usize>() > MAX_VALUES {
            return Err(too_many());
        }
        Ok(terms)
    }

    fn expand(self) -> Result<Vec<Term>, Reason> {
        match self {
            Self::Is(constraint) => Ok(vec![Term {
                constraints: vec![constraint],
                share: None,
            }]),
            Self::Among(share) => Ok(vec![Term {
                constraints: Vec::new(),
                share: Some(share),
            }]),
            Self::Any(some) => {
                let mut terms = Vec::new();
                for one in some {
                    terms.extend(one.expand()?);
                    if terms.len() > MAX_TERMS {
                        return Err(too_many());
                    }
                }
                Ok(terms)
            }
            Self::All(some) => {
                let mut terms = vec![Term::default()];
                for one in some {
                    let other = one.expand()?;
                    if terms.len() * other.len() > MAX_TERMS {
                        return Err(too_many());
                    }
                    terms = product(&terms, &other)?;
                }
                Ok(terms)
            }
        }
    }
}

/// Why percentages and variants of our own buckets can't be translated.
pub(super) fn own_buckets() -> Reason {
    "its percentages or variants are of pharos's own buckets: set `bucketing` to `unleash`".into()
}

fn too_many() -> Reason {
    "its rules have too many combinations".into()
}

fn product(some: &[Term], others: &[Term]) -> Result<Vec<Term>, Reason> {
    let pairs = some
        .iter()
        .flat_map(|one| others.iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| both(one, other)).collect()
}

fn both(one: &Term, other: &Term) -> Result<Term, Reason> {
    let share = match (&one.share, &other.share) {
        (Some(one), Some(other)) if one != other => {
            return Err("two percentages have to hold at once".into());
        }
        (one, other) => one.clone().or_else(|| other.clone()),
    };
    let mut constraints = one.constraints.clone();
    for constraint in &other.constraints {
        if !constraints.contains(constraint) {
            constraints.push(constraint.clone());
        }
    }
    Ok(Term { constraints, share })
}
