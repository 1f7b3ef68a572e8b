//! What is due, kept until something changes or its time has come: with ten thousand hosts it isn't looked for with every turn.

use std::collections::HashMap;

use super::{
    Certificates,
    orders::RecentOrders,
    rules::{Plan, Task, find_task, next_moment},
};
use crate::ids::OrganizationId;

/// A task of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DueTask {
    pub(super) task: Task,
    pub(super) host: String,
    pub(super) owner: Option<OrganizationId>,
}

/// What is due, the most urgent first.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    /// The versions of the rows and of the hosts that it was made of, and when.
    made_of: Option<(i64, u64, i64)>,
    /// When more is due, if nothing changes. Unix milliseconds.
    next_ms: Option<i64>,
    pub(super) due: Vec<DueTask>,
}

impl Agenda {
    fn is_current(&self, rows: i64, hosts: u64, now_ms: i64) -> bool {
        let Some((own_rows, own_hosts, made_ms)) = self.made_of else {
            return false;
        };
        // A clock that was set back makes other things due.
        (own_rows, own_hosts) == (rows, hosts)
            && made_ms <= now_ms
            && self.next_ms.is_none_or(|next| now_ms < next)
    }

    /// The next task that may begin: the most urgent one, and among those alike one of the owner with the fewest orders.
    pub(super) fn pick(
        &self,
        orders: &RecentOrders,
        may_order: bool,
        is_running: impl Fn(&str) -> bool,
    ) -> Option<&DueTask> {
        let may_begin = |due: &&DueTask| {
            let fits = !due.task.is_order() || may_order && orders.fits(due.owner.as_ref());
            fits && !is_running(&due.host)
        };
        let due = self.due.iter().filter(may_begin);
        due.min_by_key(|due| (due.task, orders.count_of(due.owner.as_ref())))
    }
}

impl Certificates {
    /// Brings the agenda up to date.
    pub(super) fn update_agenda(&self, agenda: &mut Agenda) {
        // Before what they count is read.
        let (rows, hosts) = (self.0.memory.version(), self.0.hosts.version());
        let now_ms = self.0.clock.now_ms();
        if agenda.is_current(rows, hosts, now_ms) {
            return;
        }
        let Some(verified) = self.0.hosts.list() else {
            *agenda = Agenda::default();
            return;
        };
        let mut plans: HashMap<Box<str>, Plan> = self.0.memory.plans();
        let (mut due, mut next_ms) = (Vec::new(), None);
        let mut consider = |host: &str, plan: Option<&Plan>, owner: Option<Option<_>>| {
            let end = plan.and_then(|plan| plan.ends_ms);
            let moment = plan.and_then(|plan| next_moment(plan, now_ms));
            next_ms = [next_ms, moment].into_iter().flatten().min();
            if let Some(task) = find_task(plan, owner.is_some(), now_ms) {
                let (host, owner) = (host.to_owned(), owner.flatten());
                due.push((end, DueTask { task, host, owner }));
            }
        };
        for host in verified {
            let plan = plans.remove(&*host.name);
            let has_certificate = plan.is_some_and(|plan| plan.has_certificate);
            if has_certificate || host.leads_here {
                consider(&host.name, plan.as_ref(), Some(host.owner));
            }
        }
        for (host, plan) in &plans {
            consider(host, Some(plan), None);
        }
        due.sort_unstable_by(|(one_end, one), (other_end, other)| {
            (one.task, one_end, &one.host).cmp(&(other.task, other_end, &other.host))
        });
        *agenda = Agenda {
            made_of: Some((rows, hosts, now_ms)),
            next_ms,
            due: due.into_iter().map(|(_, due)| due).collect(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(task: Task, host: &str, owner: Option<&str>) -> DueTask {
        DueTask {
            task,
            host: host.to_owned(),
            owner: owner.map(OrganizationId::from),
        }
    }

    #[test]
    fn the_owner_with_the_fewest_orders_comes_first_and_renewals_before_first_orders() {
        let agenda = Agenda {
            due: vec![
                due(Task::Renew, "r.example", Some("large")),
                due(Task::Order, "a.example", Some("large")),
                due(Task::Order, "b.example", Some("large")),
                due(Task::Order, "c.example", Some("small")),
            ],
            ..Agenda::default()
        };
        let mut orders = RecentOrders::new([(Some("large".to_owned()), 3)]);
        let mut begun: Vec<String> = Vec::new();
        while let Some(next) =
            agenda.pick(&orders, true, |host| begun.iter().any(|one| one == host))
        {
            orders.add(next.owner.as_ref());
            begun.push(next.host.clone());
        }
        assert_eq!(begun, ["r.example", "c.example", "a.example", "b.example"]);
        assert!(agenda.pick(&orders, false, |_| false).is_none());
    }

    #[test]
    fn an_agenda_holds_until_something_changes_its_time_comes_or_the_clock_is_set_back() {
        let agenda = Agenda {
            made_of: Some((3, 4, 1_000)),
            next_ms: Some(2_000),
            due: Vec::new(),
        };
        assert!(agenda.is_current(3, 4, 1_999));
        for (rows, hosts, now_ms) in [(5, 4, 1_500), (3, 5, 1_500), (3, 4, 2_000), (3, 4, 999)] {
            assert!(!agenda.is_current(rows, hosts, now_ms));
        }
        assert!(!Agenda::default().is_current(0, 0, 0));
    }
}
