//! What inputs can choose among that is not known before: folders, websites, …

use crate::pages::frame::Choice;

/// Choices by the name of the input that they are for.
#[derive(Debug, Clone, Default)]
pub(in crate::http::pages) struct Choices(Vec<(&'static str, Vec<Choice>)>);

impl Choices {
    /// The same with the choices of another input.
    pub(in crate::http::pages) fn with(mut self, name: &'static str, among: Vec<Choice>) -> Self {
        self.0.push((name, among));
        self
    }

    /// What an input can choose among: `usual`, and then what was named for it.
    pub(super) fn among<'a>(
        &'a self,
        name: &str,
        usual: &[(&'a str, &'a str)],
    ) -> Vec<(&'a str, &'a str)> {
        let own = self.0.iter().filter(|(own, _)| *own == name);
        let own = own.flat_map(|(_, among)| among);
        let own = own.map(|one| (one.id.as_str(), one.name.as_str()));
        usual.iter().copied().chain(own).collect()
    }
}
