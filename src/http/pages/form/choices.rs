//! Options of inputs that are loaded for a page: folders, websites, …

use crate::{actors::delivery::Channels, pages::frame::Choice};

/// Options by the name of their input.
#[derive(Debug, Clone, Default)]
pub(in crate::http::pages) struct Choices {
    inputs: Vec<(&'static str, Vec<Choice>)>,
    channels: Channels,
}

impl Choices {
    /// The same with the options of another input.
    pub(in crate::http::pages) fn with(mut self, name: &'static str, among: Vec<Choice>) -> Self {
        self.inputs.push((name, among));
        self
    }

    /// The same with the notification channels.
    pub(in crate::http::pages) fn with_channels(mut self, channels: Channels) -> Self {
        self.channels = channels;
        self
    }

    pub(in crate::http::pages) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The options of an input: `usual`, and then the loaded ones.
    pub(in crate::http::pages) fn among<'a>(
        &'a self,
        name: &str,
        usual: &[(&'a str, &'a str)],
    ) -> Vec<(&'a str, &'a str)> {
        let own = self.inputs.iter().filter(|(own, _)| *own == name);
        let own = own.flat_map(|(_, among)| among);
        let own = own.map(|one| (one.id.as_str(), one.name.as_str()));
        usual.iter().copied().chain(own).collect()
    }
}
