//! Everything that can be asked of this domain.

mod factors;
mod identities;
mod installation;
mod invitations;
mod people;
mod resets;
mod scim;
mod sso;
mod tenants;

pub use {
    factors::*, identities::*, installation::*, invitations::*, people::*, resets::*, scim::*,
    sso::*, tenants::*,
};
