//! Everything that can be asked of this domain.

mod founding;
mod people;

pub use founding::{Founded, Install, InstallAgain};
pub use people::{
    ChangePassword, DeleteAccount, EndSessions, Rename, SignIn, SignOut, SignUp, SignedIn, Which,
};

pub(super) use founding::Found;
pub(super) use people::{Joined, OpenSession, RemoveAccount, StorePassword};
