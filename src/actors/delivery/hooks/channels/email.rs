use lettre::Address;

use super::Service;

pub(super) const SERVICE: Service = Service {
    title: "Mailbox: its address",
    fields: &[],
    is_told_one_by_one: false,
    check: |channel, rules| {
        if !rules.mail {
            let message = "no mail is sent here: the operator has to set `mail.smtp_url`";
            return Err(("type", message.to_owned()));
        }
        let read = channel.identifier.parse::<Address>();
        read.map(|_| ())
            .map_err(|error| ("identifier", format!("it is no mail address: {error}")))
    },
    request: None,
};
