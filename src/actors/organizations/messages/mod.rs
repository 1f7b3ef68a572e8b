//! Everything that can be asked of this domain.

mod factors;
mod identities;
mod installation;
mod invitations;
mod passkeys;
mod people;
mod resets;
mod scim;
mod sso;
mod tenants;

pub use {
    factors::*, identities::*, installation::*, invitations::*, passkeys::*, people::*, resets::*,
    scim::*, sso::*, tenants::*,
};
