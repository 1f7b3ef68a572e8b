//! Everything that can be asked of this domain.

mod factors;
mod founding;
mod invitations;
mod people;
mod resets;
mod tenants;

pub use {factors::*, founding::*, invitations::*, people::*, resets::*, tenants::*};
