//! The catalogue: Fluent files, read when the first text is asked for.

use std::{borrow::Cow, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};

use super::{Language, Texts};

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<[Bundle; Language::ALL.len()]> = LazyLock::new(|| Language::ALL.map(read));

impl Language {
    pub(super) const fn source(self) -> &'static str {
        match self {
            Self::En => include_str!("texts/en.ftl"),
            Self::De => include_str!("texts/de.ftl"),
            Self::Fr => include_str!("texts/fr.ftl"),
            Self::Es => include_str!("texts/es.ftl"),
            Self::Pt => include_str!("texts/pt.ftl"),
            Self::Ja => include_str!("texts/ja.ftl"),
        }
    }
}

fn read(language: Language) -> Bundle {
    let locales = language.code().parse().into_iter().collect();
    let mut bundle = Bundle::new_concurrent(locales);
    // The marks that isolate arguments of other directions are characters that subjects and addresses must not have.
    bundle.set_use_isolating(false);
    // A test reads every file without an error.
    let resource = FluentResource::try_new(language.source().to_owned());
    bundle.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
    bundle
}

impl Texts {
    /// A text with its arguments. A test holds every file to every name; if one is missing all the same, the English text or the
    /// name stands in.
    pub(super) fn format<const COUNT: usize>(
        self,
        name: &'static str,
        arguments: [(&'static str, FluentValue<'_>); COUNT],
    ) -> Cow<'static, str> {
        let arguments: FluentArgs<'_> = arguments.into_iter().collect();
        for language in [self.language(), Language::En] {
            let bundle = &BUNDLES[language as usize];
            let message = bundle.get_message(name);
            if let Some(pattern) = message.and_then(|message| message.value()) {
                let mut errors = Vec::new();
                return bundle.format_pattern(pattern, Some(&arguments), &mut errors);
            }
        }
        Cow::Borrowed(name)
    }
}
