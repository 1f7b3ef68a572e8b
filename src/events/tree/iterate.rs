//! Members of objects, one after the other.

use std::fmt;

use super::{Member, Object, Text, Value};

impl fmt::Debug for Object<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<'a, N: Into<Text<'a>>> FromIterator<(N, Value<'a>)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (N, Value<'a>)>>(members: I) -> Self {
        let members = members.into_iter();
        Self::from_members(members.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<'a> Extend<Member<'a>> for Object<'a> {
    fn extend<I: IntoIterator<Item = Member<'a>>>(&mut self, members: I) {
        let mut all = std::mem::take(&mut self.0);
        all.extend(members);
        *self = Self::from_members(all);
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = Member<'a>;
    type IntoIter = std::vec::IntoIter<Member<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
