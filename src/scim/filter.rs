//! Filters (RFC 7644, section 3.4.2.2): read by recursive descent, `not` before `and` before `or`.

use std::{fmt, iter::Peekable, vec::IntoIter};

use serde_json::Value;

use super::{
    AttributePath, Kind, ScimError,
    lexer::{self, Token},
};

/// Bytes of a filter.
const MAX_LENGTH: usize = 4096;
/// Parentheses and brackets within one another.
const MAX_DEPTH: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// `pr`: there is a value.
    Present(AttributePath),
    Compare(AttributePath, Operator, Value),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
    /// `emails[…]`: one element fits all of it.
    Within(AttributePath, Box<Self>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Operator {
    Eq,
    Ne,
    Co,
    Sw,
    Ew,
    Gt,
    Ge,
    Lt,
    Le,
}

impl Filter {
    /// Reads a filter over the attributes of a kind of resource.
    pub fn parse(text: &str, kind: Kind) -> Result<Self, ScimError> {
        Self::read(text)
            .and_then(|filter| filter.check(kind).map(|()| filter))
            .map_err(ScimError::Filter)
    }

    /// Reads a filter over whatever attributes.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("it has more than {MAX_LENGTH} bytes"));
        }
        let mut parser = Parser {
            tokens: lexer::split(text)?.into_iter().peekable(),
            depth: 0,
        };
        let filter = parser.any()?;
        match parser.tokens.next() {
            None => Ok(filter),
            Some(_) => Err("something follows its end".to_owned()),
        }
    }

    fn check(&self, kind: Kind) -> Result<(), String> {
        match self {
            Self::Present(path) | Self::Compare(path, ..) => require_known(path, kind),
            Self::Not(inner) => inner.check(kind),
            Self::All(parts) | Self::Any(parts) => parts.iter().try_for_each(|one| one.check(kind)),
            Self::Within(path, inner) => {
                require_known(path, kind)?;
                inner.check_parts(&path.name, kind)
            }
        }
    }

    /// Checks what is said of an element of a list.
    fn check_parts(&self, list: &str, kind: Kind) -> Result<(), String> {
        match self {
            Self::Present(path) | Self::Compare(path, ..) => {
                let attribute = kind.attribute(list);
                let known = attribute.and_then(|one| one.part(&path.name));
                let is_known = known.is_some() && path.part.is_none();
                is_known
                    .then_some(())
                    .ok_or_else(|| format!("`{list}` has no `{path}`"))
            }
            Self::Not(inner) => inner.check_parts(list, kind),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().try_for_each(|one| one.check_parts(list, kind))
            }
            Self::Within(..) => Err("brackets are within brackets".to_owned()),
        }
    }
}

fn require_known(path: &AttributePath, kind: Kind) -> Result<(), String> {
    let known = kind.find(path).is_some() || path.name.eq_ignore_ascii_case("schemas");
    let unknown = || format!("a {} has no attribute `{path}`", kind.name());
    known.then_some(()).ok_or_else(unknown)
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn any(&mut self) -> Result<Filter, String> {
        let mut parts = vec![self.all()?];
        while self.takes_word("or") {
            parts.push(self.all()?);
        }
        Ok(only(parts, Filter::Any))
    }

    fn all(&mut self) -> Result<Filter, String> {
        let mut parts = vec![self.term()?];
        while self.takes_word("and") {
            parts.push(self.term()?);
        }
        Ok(only(parts, Filter::All))
    }

    fn term(&mut self) -> Result<Filter, String> {
        match self.tokens.next() {
            Some(Token::Open) => self.group(&Token::Close),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("not") => {
                if self.tokens.next() != Some(Token::Open) {
                    return Err("`not` needs parentheses".to_owned());
                }
                Ok(Filter::Not(Box::new(self.group(&Token::Close)?)))
            }
            Some(Token::Word(word)) => self.about(&word),
            Some(_) => Err("an attribute is missing".to_owned()),
            None => Err("it ends early".to_owned()),
        }
    }

    /// What follows an attribute.
    fn about(&mut self, word: &str) -> Result<Filter, String> {
        let path = AttributePath::parse(word).ok_or_else(|| format!("`{word}` is no attribute"))?;
        let operator = match self.tokens.next() {
            Some(Token::OpenValue) => {
                let inner = Box::new(self.group(&Token::CloseValue)?);
                return Ok(Filter::Within(path, inner));
            }
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("pr") => {
                return Ok(Filter::Present(path));
            }
            Some(Token::Word(word)) => word.parse::<Operator>().ok(),
            _ => None,
        };
        let operator = operator.ok_or_else(|| {
            format!("`{path}` needs one of eq, ne, co, sw, ew, gt, ge, lt, le, pr")
        })?;
        let value = match self.tokens.next() {
            Some(Token::Value(value)) => value,
            Some(Token::Word(word)) => match &*word.to_ascii_lowercase() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return Err(format!("`{word}` needs quotation marks")),
            },
            _ => return Err(format!("`{operator}` needs a value")),
        };
        let is_equality = matches!(operator, Operator::Eq | Operator::Ne);
        if !is_equality && (value.is_boolean() || value.is_null()) {
            return Err(format!("`{operator}` compares texts and numbers"));
        }
        Ok(Filter::Compare(path, operator, value))
    }

    /// What is within parentheses or brackets.
    fn group(&mut self, end: &Token) -> Result<Filter, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "more than {MAX_DEPTH} parentheses are within one another"
            ));
        }
        let inner = self.any()?;
        self.depth -= 1;
        if self.tokens.next().as_ref() != Some(end) {
            return Err("a parenthesis or bracket isn't closed".to_owned());
        }
        Ok(inner)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it =
            |token: &Token| matches!(token, Token::Word(other) if other.eq_ignore_ascii_case(word));
        self.tokens.next_if(is_it).is_some()
    }
}

/// One part as it is, several together.
fn only(mut parts: Vec<Filter>, together: fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.pop() {
        Some(part) if parts.is_empty() => part,
        last => {
            parts.extend(last);
            together(parts)
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |formatter: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (at, part) in parts.iter().enumerate() {
                let between = if at == 0 { "" } else { word };
                write!(formatter, "{between}({part})")?;
            }
            Ok(())
        };
        match self {
            Self::Present(path) => write!(formatter, "{path} pr"),
            Self::Compare(path, operator, value) => write!(formatter, "{path} {operator} {value}"),
            Self::Not(inner) => write!(formatter, "not ({inner})"),
            Self::All(parts) => join(formatter, parts, " and "),
            Self::Any(parts) => join(formatter, parts, " or "),
            Self::Within(path, inner) => write!(formatter, "{path}[{inner}]"),
        }
    }
}
