//! One order, from the request to the certificate.

use std::time::Duration;

use instant_acme::{
    AuthorizationStatus, ChallengeType, Error, Identifier, NewOrder, Order, OrderStatus,
    RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use super::{
    Challenge, ChallengeKind, Failure, IssuedCertificate, Session, Solver, certificate::renewal_id,
};

/// How long an authority may take to check a challenge, or to issue a certificate.
const POLLING: RetryPolicy = RetryPolicy::new()
    .initial_delay(Duration::from_millis(250))
    .backoff(1.5)
    .timeout(Duration::from_secs(90));

impl Session {
    /// Gets a certificate for a host. `replaced` is the one before it, where the authority says when to renew.
    ///
    /// # Errors
    /// The authority's reason.
    pub async fn order(
        &self,
        host: &str,
        kind: ChallengeKind,
        replaced: Option<&[u8]>,
        solver: &dyn Solver,
    ) -> Result<IssuedCertificate, Failure> {
        let hosts = [Identifier::Dns(host.to_owned())];
        let mut wanted = NewOrder::new(&hosts);
        if let Some(id) = replaced.and_then(renewal_id) {
            wanted = wanted.replaces(id);
        }
        let begun = self.account.new_order(&wanted).await;
        let mut order = begun.map_err(|error| self.fail(&error))?;
        if order.state().status == OrderStatus::Pending {
            let asked = self.find_challenge(&mut order, host, kind).await?;
            if let Some(challenge) = asked {
                let answered = self.answer(&mut order, &challenge, solver).await;
                solver.clean_up(&challenge).await;
                answered?;
            }
        }
        self.finalize(order, host).await
    }

    /// What the authority asks for; nothing where it knows the host from an earlier order.
    async fn find_challenge(
        &self,
        order: &mut Order,
        host: &str,
        kind: ChallengeKind,
    ) -> Result<Option<Challenge>, Failure> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(|error| self.fail(&error))?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let Some(asked) = authorization.challenge(wire_name(kind)) else {
                let what = format!("the authority doesn't check by {}", kind.name());
                return Err(Failure {
                    message: what,
                    ..Failure::challenge(None)
                });
            };
            return Ok(Some(Challenge {
                kind,
                host: host.to_owned(),
                token: asked.token.clone(),
                key_authorization: asked.key_authorization().as_str().to_owned(),
            }));
        }
        Ok(None)
    }

    async fn answer(
        &self,
        order: &mut Order,
        challenge: &Challenge,
        solver: &dyn Solver,
    ) -> Result<(), Failure> {
        solver.present(challenge).await.map_err(Failure::new)?;
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(|error| self.fail(&error))?;
            if let Some(mut asked) = authorization.challenge(wire_name(challenge.kind)) {
                let begun = asked.set_ready().await;
                begun.map_err(|error| self.fail(&error))?;
            }
        }
        match order.poll_ready(&POLLING).await {
            Ok(OrderStatus::Ready) => Ok(()),
            Ok(_) | Err(Error::Api(_)) => Err(self.find_reason(order, challenge.kind).await),
            Err(error) => Err(self.fail(&error)),
        }
    }

    /// Why the authority didn't accept an answer.
    async fn find_reason(&self, order: &mut Order, kind: ChallengeKind) -> Failure {
        let mut authorizations = order.authorizations();
        while let Some(Ok(mut authorization)) = authorizations.next().await {
            let Ok(state) = authorization.refresh().await else {
                continue;
            };
            let kind = wire_name(kind);
            let mut refused = state.challenges.iter().filter(|asked| asked.r#type == kind);
            if let Some(problem) = refused.find_map(|asked| asked.error.as_ref()) {
                return Failure::challenge(Some(problem));
            }
        }
        Failure::challenge(None)
    }

    async fn finalize(&self, mut order: Order, host: &str) -> Result<IssuedCertificate, Failure> {
        let (request, key) = make_request(host)
            .map_err(|error| Failure::new(format!("no certificate can be asked for: {error}")))?;
        let sent = order.finalize_csr(&request).await;
        sent.map_err(|error| self.fail(&error))?;
        let chain = order.poll_certificate(&POLLING).await;
        let chain = chain.map_err(|error| self.fail(&error))?;
        IssuedCertificate::from_pem(&chain, key).map_err(Failure::new)
    }
}

fn wire_name(kind: ChallengeKind) -> ChallengeType {
    match kind {
        ChallengeKind::Http => ChallengeType::Http01,
        ChallengeKind::TlsAlpn => ChallengeType::TlsAlpn01,
    }
}

/// A signing request for a host in DER, and the new key behind it.
fn make_request(host: &str) -> Result<(Vec<u8>, Vec<u8>), rcgen::Error> {
    let mut wanted = CertificateParams::new([host.to_owned()])?;
    wanted.distinguished_name = DistinguishedName::new();
    let key = KeyPair::generate()?;
    let request = wanted.serialize_request(&key)?;
    Ok((request.der().to_vec(), key.serialize_der()))
}
