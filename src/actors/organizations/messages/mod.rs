//! Everything that can be asked of this domain.

mod factors;
mod installation;
mod invitations;
mod people;
mod resets;
mod tenants;

pub use {factors::*, installation::*, invitations::*, people::*, resets::*, tenants::*};
