//! Which paths are the console's.

/// First segments of paths that are pages'; nothing else may begin with one of them.
pub(super) const OWN: [&str; 6] = ["console", "invite", "login", "logout", "reset", "share"];

/// Whether a path is one of the console's, there or not.
pub(super) fn owns(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next();
    path == "/" || first.is_some_and(|first| OWN.contains(&first))
}

/// Whether a person's browser is on its way to a provider, or back: what goes wrong there is a page.
pub(super) fn leads_to_provider(path: &str) -> bool {
    path.starts_with(PROVIDERS) && !is_provider_logout(path)
}

/// Whether a provider itself calls, and its signature is what counts.
pub(super) fn is_provider_logout(path: &str) -> bool {
    path.starts_with(PROVIDERS) && path.ends_with("/logout")
}

const PROVIDERS: &str = "/api/auth/oidc/";

/// Whether a page of this path counts in the console's window.
pub(super) fn is_counted(path: &str) -> bool {
    path == "/" || path.starts_with("/console/") && !path.starts_with("/console/assets/")
}
