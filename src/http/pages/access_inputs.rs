//! Inputs of what not everyone may see: status pages, share links, short links.

use super::{
    form::{Empty, Kind},
    prelude::*,
};

pub(super) const ALLOWED_IPS: Input =
    Input::new(Kind::Lines(2), "allowedIps", "Allowed IP addresses")
        .hint("One address or network per line, such as 203.0.113.0/24. Default: everyone.")
        .empty(Empty::List);

pub(super) const PASSWORD: Input = Input::new(
    Kind::Secret {
        has: "hasPassword",
        clear: ("clearPassword", "Remove password"),
        kept: "A password is set. Enter a new one to replace it.",
    },
    "password",
    "Password",
)
.hint("Visitors enter it first. 4 to 128 characters.");
