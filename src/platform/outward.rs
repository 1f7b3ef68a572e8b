//! What leaves the program, from settings: who may be reached, over which way, and where the operator's own services are.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use ipnet::IpNet;

use crate::{
    config::Settings,
    egress::{Egress, Names, NoNameServers, Policy, Resolve},
    http::agent_model::{Agents, Model, ModelOptions},
};

/// What may be reached. Our own listeners may only where the operator says so.
pub(super) fn policy(settings: &Settings) -> Policy {
    let server = &settings.server;
    Policy {
        own: vec![server.api_listen, server.track_listen, server.links_listen],
        ..settings.egress.clone()
    }
}

/// The way out to addresses that customers choose.
pub(super) fn egress(settings: &Settings) -> anyhow::Result<Egress> {
    Ok(Egress::new(
        policy(settings),
        names(&settings.egress.name_servers),
    )?)
}

fn names(servers: &[SocketAddr]) -> Arc<dyn Resolve> {
    match Names::new(servers) {
        Ok(names) => Arc::new(names),
        Err(error) => {
            tracing::warn!(%error, "no name servers are known: monitors of names will fail");
            Arc::new(NoNameServers)
        }
    }
}

/// The model behind chats. Only the operator can choose its address, so it may be anywhere, and
/// redirects are not followed.
pub(super) fn agents(settings: &Settings) -> anyhow::Result<Agents> {
    let agent = &settings.agent;
    if agent.base_url.is_empty() {
        return Ok(Agents::new(None));
    }
    let options = ModelOptions {
        base: agent.base_url.clone(),
        name: agent.model.clone(),
        key: agent.api_key.expose().into(),
        silence: Duration::from_secs(agent.timeout_seconds.into()),
    };
    let model = Model::new(&options, anywhere()?)?;
    Ok(Agents::new(Some(model)))
}

/// A way out to an address that only the operator can choose.
pub(super) fn anywhere() -> anyhow::Result<Egress> {
    let policy = Policy {
        allow: vec![
            IpNet::new(Ipv4Addr::UNSPECIFIED.into(), 0)?,
            IpNet::new(Ipv6Addr::UNSPECIFIED.into(), 0)?,
        ],
        ..Policy::default()
    };
    Ok(Egress::new(policy, names(&[]))?)
}
