//! Options of inputs that are loaded for a page: folders, websites, …

use crate::pages::frame::Choice;

/// Options by the name of their input.
#[derive(Debug, Clone, Default)]
pub(in crate::http::pages) struct Choices(Vec<(&'static str, Vec<Choice>)>);

impl Choices {
    /// The same with the options of another input.
    pub(in crate::http::pages) fn with(mut self, name: &'static str, among: Vec<Choice>) -> Self {
        self.0.push((name, among));
        self
    }

    /// The options of an input: `usual`, and then the loaded ones.
    pub(in crate::http::pages) fn among<'a>(
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
