//! People and groups as an organization's identity provider sends them (SCIM), and what that means for memberships.
//!
//! A user of a provider is about an account by its address, and changes nothing of the account: only the membership in the
//! provider's organization.
//!
//! Invariants:
//! - Nobody becomes a member of whom nobody vouches. Someone joins at once if the organization requires a sign-in provider that the
//!   operator trusts for the address, or if SCIM took the membership before. All others are invited, whether they have an account
//!   or not.
//! - What a token does, the member who made it may do now: their role is looked up in the mailbox. So no token gives or takes the
//!   role of an owner unless an owner made it.
//! - The last owner stays.
//! - Groups give roles only where a person said which (`SetScimGroupRole`). They never take an ownership that they did not give.
//! - A membership goes with its keys, apps, sessions and invitations, in one transaction with what the provider said.

mod change;
mod groups;
mod joining;
mod roles;
mod users;
