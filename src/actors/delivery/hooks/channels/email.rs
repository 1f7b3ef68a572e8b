use lettre::Address;

use super::Service;

pub(super) const SERVICE: Service = Service {
    title: "Email (address)",
    fields: &[],
    is_told_one_by_one: false,
    check: |channel, rules| {
        if !rules.mail {
            let message = "Email isn't configured. Set `mail.smtp_url` or choose another channel.";
            return Err(("type", message.to_owned()));
        }
        let read = channel.identifier.parse::<Address>();
        read.map(|_| ())
            .map_err(|error| ("identifier", format!("must be an email address: {error}")))
    },
    request: None,
};
