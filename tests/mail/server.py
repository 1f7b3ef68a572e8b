"""An SMTP server on a free port of this machine. Says on its first line which one, then every letter it is sent as a line of JSON."""

import email
import email.policy
import json
import sys

from aiosmtpd.controller import Controller


class Letters:
    """Takes every letter that the standard's own parser can read."""

    async def handle_DATA(self, server, session, envelope):
        letter = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        if letter.defects:
            return f"554 {letter.defects}"
        say(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "headers": {name.lower(): str(value) for name, value in letter.items()},
                "text": letter.get_content(),
                "raw": envelope.original_content.decode("ascii"),
            }
        )
        return "250 taken"


def say(value):
    print(json.dumps(value), flush=True)


class Anywhere(Controller):
    """A controller whose port the system chooses."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


controller = Anywhere(Letters(), hostname="127.0.0.1", port=0)
controller.start()
say({"port": controller.port})
# Whoever started it closes our input at the end.
sys.stdin.read()
controller.stop()
