//! Everything that can be asked of this domain.

mod factors;
mod founding;
mod invitations;
mod people;
mod resets;
mod tenants;

pub use factors::{Claim, Code, FactorChange, FactorShown, ManageFactor, ProveFactor};
pub use founding::{Founded, Install, InstallAgain};
pub use invitations::{Accept, CancelInvitation, ClearExpired, Invite, Invited, Reject};
pub use people::{
    ChangePassword, DeleteAccount, EndSessions, Opened, Rename, SignIn, SignOut, SignUp, SignedIn,
    Which,
};
pub use resets::{ForgotPassword, ResetPassword};
pub use tenants::{
    CreateOrganization, DeleteOrganization, DueForErasure, EraseOrganization, Erased,
    OrganizationChange, RemoveMember, Removed, RestoreOrganization, RoleChanged, SetActive,
    SetRole, Transfer, UpdateOrganization,
};

pub(super) use factors::{FactorConfirmed, SpendCode};
pub(super) use founding::Found;
pub(super) use people::{Joined, OpenSession, RemoveAccount, StorePassword};
pub(super) use resets::StoreReset;
