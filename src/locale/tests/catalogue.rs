//! Every language has every text, with its arguments, and no other.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentValue;
use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser,
};

use super::super::{Language, messages::NAMES};

/// What a text is made of: its arguments, and the texts that it names.
#[derive(Default)]
struct Parts<'a> {
    arguments: BTreeSet<&'a str>,
    texts: BTreeSet<&'a str>,
    is_blank: bool,
    has_markup: bool,
}

impl<'a> Parts<'a> {
    fn of(pattern: &Pattern<&'a str>) -> Self {
        let mut parts = Self {
            is_blank: true,
            ..Self::default()
        };
        parts.read(pattern);
        parts
    }

    fn read(&mut self, pattern: &Pattern<&'a str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => {
                    self.is_blank &= value.trim().is_empty();
                    self.has_markup |= value.contains(['<', '>', '&']);
                }
                PatternElement::Placeable { expression } => self.expression(expression),
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&'a str>) {
        self.is_blank &= matches!(
            expression,
            Expression::Inline(InlineExpression::StringLiteral { .. })
        );
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                for variant in variants {
                    self.read(&variant.value);
                }
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&'a str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.arguments.insert(id.name);
            }
            InlineExpression::MessageReference { id, .. } => {
                self.texts.insert(id.name);
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
            InlineExpression::StringLiteral { .. } => {}
            other => panic!("texts have arguments and texts alone: {other:?}"),
        }
    }
}

/// What a file lacks, and what it has too much of.
fn problems(source: &str, names: &[(&str, &[&str])]) -> Vec<String> {
    let resource = match parser::parse(source) {
        Ok(resource) => resource,
        Err((_, errors)) => return errors.iter().map(ToString::to_string).collect(),
    };
    let (mut found, mut problems) = (BTreeMap::new(), Vec::new());
    for entry in &resource.body {
        if let Entry::Message(message) = entry {
            let parts = message.value.as_ref().map(Parts::of).unwrap_or_default();
            if found.insert(message.id.name, parts).is_some() {
                problems.push(format!("{} is there twice", message.id.name));
            }
        }
    }
    let mut used: BTreeSet<&str> = names.iter().map(|(name, _)| *name).collect();
    for (name, wanted) in names {
        let Some(parts) = found.get(name) else {
            problems.push(format!("{name} is missing"));
            continue;
        };
        if parts.is_blank {
            problems.push(format!("{name} is blank"));
        }
        if parts.has_markup {
            problems.push(format!("{name} has markup"));
        }
        let mut own = parts.arguments.clone();
        for text in &parts.texts {
            match found.get(text) {
                Some(inner) => own.extend(&inner.arguments),
                None => problems.push(format!("{name} names {text}, which is missing")),
            }
        }
        used.extend(&parts.texts);
        let wanted: BTreeSet<&str> = wanted.iter().copied().collect();
        for unused in wanted.difference(&own) {
            problems.push(format!("{name} does not use ${unused}"));
        }
        for unknown in own.difference(&wanted) {
            problems.push(format!("{name} has no argument ${unknown}"));
        }
    }
    for unknown in found.keys().filter(|name| !used.contains(*name)) {
        problems.push(format!(
            "{unknown} is not used: add it to `messages.rs` or delete it"
        ));
    }
    problems
}

#[test]
fn every_language_has_every_text_and_no_other() {
    for language in Language::ALL {
        let problems = problems(language.source(), NAMES);
        assert!(
            problems.is_empty(),
            "{}.ftl: {problems:#?}",
            language.code()
        );
    }
}

#[test]
fn a_file_that_is_not_complete_is_noticed() {
    let names: &[(&str, &[&str])] = &[("hello", &["name"]), ("bye", &[])];
    for (source, problem) in [
        ("hello = Hi { $name }\n", "bye is missing"),
        ("hello = Hi\nbye = Bye\n", "hello does not use $name"),
        (
            "hello = Hi { $name }, { $age }\nbye = Bye\n",
            "hello has no argument $age",
        ),
        (
            "hello = Hi { $name }\nbye = Bye\nmore = More\n",
            "more is not used: add it to `messages.rs` or delete it",
        ),
        (
            "hello = Hi { $name }\nbye = Bye\nbye = Bye\n",
            "bye is there twice",
        ),
        (
            "hello = Hi { $name } { who }\nbye = Bye\n",
            "hello names who, which is missing",
        ),
        ("hello = Hi { $name }\nbye = { \"\" }\n", "bye is blank"),
        ("hello = Hi { $name }\nbye = <b>Bye</b>\n", "bye has markup"),
    ] {
        assert_eq!(problems(source, names), [problem], "{source}");
    }
    assert!(
        !problems("hello = { $name\n", names).is_empty(),
        "it can't be read"
    );
    let good = "hello = { who }\nwho = { $name }!\nbye = Bye\n";
    assert_eq!(problems(good, names), Vec::<String>::new());
}

#[test]
fn every_text_is_written_in_every_language() {
    let english = |name| format(Language::En, name);
    for language in Language::ALL {
        for (name, arguments) in NAMES {
            let text = format(language, (name, arguments));
            for argument in *arguments {
                let is_seen = text.contains(&format!("<{argument}>")) || is_choice(argument);
                assert!(is_seen, "{} {name}: {text}", language.code());
            }
            assert!(!text.trim().is_empty(), "{} {name}", language.code());
            let words = english((name, arguments));
            let is_sentence = words.split(' ').count() > 2 && words.chars().any(char::is_lowercase);
            let is_forgotten =
                language != Language::En && is_sentence && text == words && !words.contains('<');
            assert!(
                !is_forgotten,
                "{} {name} is English: {text}",
                language.code()
            );
        }
    }
}

/// Whether an argument chooses among words instead of being one.
fn is_choice(argument: &str) -> bool {
    [
        "frequency",
        "month",
        "weekday",
        "count",
        "bad",
        "known",
        "down",
        "degraded",
    ]
    .contains(&argument)
}

fn format(
    language: Language,
    (name, arguments): (&'static str, &'static [&'static str]),
) -> String {
    let value = |argument: &&'static str| match *argument {
        "count" | "bad" | "known" => (*argument, FluentValue::from(3_u64)),
        other => (other, FluentValue::from(format!("<{other}>"))),
    };
    // No text has more arguments.
    let mut all: [(&str, FluentValue<'_>); 5] =
        std::array::from_fn(|_| ("none", FluentValue::None));
    for (place, argument) in arguments.iter().enumerate() {
        all[place] = value(argument);
    }
    language.texts().format(name, all).into_owned()
}
