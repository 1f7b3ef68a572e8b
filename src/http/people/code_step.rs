//! The second step of a sign-in: what its page asks for, as its address says.

use crate::{actors::organizations::SecondFactors, http::next};

/// What the page asks for.
pub(in crate::http) struct CodeStep {
    pub(in crate::http) next: String,
    /// A backup code instead of the app's.
    pub(in crate::http) is_backup: bool,
    /// Whether the person has an app.
    pub(in crate::http) has_app: bool,
    pub(in crate::http) has_passkey: bool,
}

/// The address of the page for a person who has these.
pub(in crate::http) fn path(factors: SecondFactors, next: &str) -> String {
    let step = CodeStep {
        next: next.to_owned(),
        is_backup: !factors.app,
        has_app: factors.app,
        has_passkey: factors.passkey,
    };
    step.path()
}

impl CodeStep {
    /// What an address or a form says.
    pub(in crate::http) fn read(value: impl Fn(&str) -> String) -> Self {
        Self {
            next: next::safe(&value("next")).to_owned(),
            is_backup: !value("backup").is_empty(),
            has_app: value("app") != "none",
            has_passkey: !value("passkey").is_empty(),
        }
    }

    /// What it adds to an address or a form.
    pub(in crate::http) fn values(&self) -> Vec<(&'static str, &str)> {
        let said = [
            ("next", self.next.as_str(), self.next != "/"),
            ("backup", "1", self.is_backup),
            ("app", "none", !self.has_app),
            ("passkey", "1", self.has_passkey),
        ];
        let said = said.into_iter().filter(|(_, _, is_said)| *is_said);
        said.map(|(name, value, _)| (name, value)).collect()
    }

    pub(in crate::http) fn path(&self) -> String {
        let values = self.values();
        if values.is_empty() {
            return "/login/code".to_owned();
        }
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(values)
            .finish();
        format!("/login/code?{query}")
    }
}
