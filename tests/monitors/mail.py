"""SMTP servers for monitors: `mail.py CERTIFICATE KEY PLAIN STARTTLS ENCRYPTED`, the last three being ports of this machine.

The first offers neither TLS nor a sign-in. The others know one user, who signs in over TLS alone.
"""

import signal
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import AuthResult


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"ada", b"s3cr3t"), handled=False)


certificate, key = sys.argv[1:3]
plain, changing, encrypted = map(int, sys.argv[3:])
tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
tls.load_cert_chain(certificate, key)
for port, settings in (
    (plain, {}),
    (changing, {"tls_context": tls, "authenticator": authenticate}),
    (encrypted, {"ssl_context": tls, "authenticator": authenticate, "auth_require_tls": False}),
):
    Controller(Sink(), hostname="127.0.0.1", port=port, **settings).start()
signal.pause()
