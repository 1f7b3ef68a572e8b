//! Members of objects, one after the other.

use std::fmt;

use super::{Name, Object, Value};

impl fmt::Debug for Object {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<N: Into<Name>> FromIterator<(N, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        let members = members.into_iter();
        Self::from_members(members.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl Extend<(Name, Value)> for Object {
    fn extend<I: IntoIterator<Item = (Name, Value)>>(&mut self, members: I) {
        let mut all = std::mem::take(&mut self.0);
        all.extend(members);
        *self = Self::from_members(all);
    }
}

impl IntoIterator for Object {
    type Item = (Name, Value);
    type IntoIter = std::vec::IntoIter<(Name, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
