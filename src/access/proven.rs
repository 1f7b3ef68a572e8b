//! What a task was proven to be allowed. A report about the task can then name the owner of its resource, whatever the input names.

use std::cell::RefCell;

use super::Permission;
use crate::ids::OrganizationId;

/// A permission, and the organization that it was proven for.
type Proven = (Permission, OrganizationId);

tokio::task_local! {
    static PROVEN: RefCell<Vec<Proven>>;
}

/// Runs a task, and gives the proofs that it got, in their order.
pub async fn collect<T>(task: impl Future<Output = T>) -> (T, Vec<Proven>) {
    let collected = async {
        let outcome = task.await;
        (outcome, PROVEN.with(RefCell::take))
    };
    PROVEN.scope(RefCell::default(), collected).await
}

/// Notes a proof if this task's proofs are collected.
pub(super) fn note(permission: Permission, organization: &OrganizationId) {
    // Most tasks are not collected.
    let _ = PROVEN.try_with(|proven| {
        proven.borrow_mut().push((permission, organization.clone()));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn proofs_of_a_task_are_collected_and_others_are_not() {
        note(Permission::LinkWrite, &OrganizationId::from("before"));
        let task = async { note(Permission::LinkWrite, &OrganizationId::from("a")) };
        let ((), proven) = collect(task).await;
        assert_eq!(proven, [(Permission::LinkWrite, OrganizationId::from("a"))]);
        assert!(collect(async {}).await.1.is_empty());
    }
}
