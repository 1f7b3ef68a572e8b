"""MongoDB, MySQL and a website on ports of this machine, for monitors.

`databases.py CERTIFICATE KEY MONGODB MONGODB_TLS MYSQL MYSQL_SHA2 HTTPS`: the files of the certificate, and five ports.

MongoDB's protocol is that of nx-27017, with the SCRAM-SHA-256 of scramp. MySQL's protocol is that of mysql-mimic, once with its own
`mysql_native_password`, and once with `caching_sha2_password`, whose proof PyMySQL computes.
"""

import asyncio
import http.server
import ssl
import sys
import threading

from mysql_mimic import IdentityProvider, MysqlServer, NativePasswordAuthPlugin, Session, User
from mysql_mimic.auth import AuthPlugin, Forbidden, Success
from mysql_mimic.utils import nonce
from nx_27017.handler import NeoSQLiteHandler
from nx_27017.server import handle_client
from pymysql._auth import scramble_caching_sha2
from scramp import ScramException, ScramMechanism
from sqlglot.executor import execute

USER, PASSWORD = "ada", "s3cr3t"
SCRAM = ScramMechanism("SCRAM-SHA-256")
KNOWN = SCRAM.make_auth_info(PASSWORD, iteration_count=4096)
REFUSED = {"ok": 0.0, "errmsg": "Authentication failed.", "code": 18, "codeName": "AuthenticationFailed"}


class Documents(NeoSQLiteHandler):
    """A store with one user."""

    def __init__(self):
        super().__init__()
        self.conversations = {}

    def handle_command(self, msg):
        command = next(body for kind, body in msg["sections"] if kind == "body")
        if "saslStart" not in command and "saslContinue" not in command:
            return super().handle_command(msg)
        try:
            return msg["request_id"], self.sign_in(msg["_conn_id"], command)
        except ScramException:
            return msg["request_id"], REFUSED

    def sign_in(self, connection, command):
        said = command["payload"].decode()
        if "saslStart" in command:
            server = SCRAM.make_server(find_user)
            self.conversations[connection] = server
            server.set_client_first(said)
            answer, done = server.get_server_first(), False
        elif said:
            server = self.conversations[connection]
            server.set_client_final(said)
            answer, done = server.get_server_final(), False
        else:
            # As MongoDB does without `skipEmptyExchange`.
            answer, done = "", True
        return {"ok": 1.0, "conversationId": 1, "done": done, "payload": answer.encode()}


def find_user(name):
    if name != USER:
        raise ScramException("no such user")
    return KNOWN


async def serve_mongodb(port, tls):
    documents = Documents()

    async def talk(reader, writer):
        await handle_client(reader, writer, documents)

    return await asyncio.start_server(talk, "127.0.0.1", port, ssl=tls)


class CachingSha2(AuthPlugin):
    """A server that has no password in its cache yet: it wants the password itself."""

    name = client_plugin_name = "caching_sha2_password"

    async def auth(self, auth_info=None):
        if auth_info:
            challenge = auth_info.handshake_auth_data.rstrip(b"\0")
        else:
            challenge = nonce(20)
            auth_info = yield challenge + b"\0"
        if auth_info.data != scramble_caching_sha2(PASSWORD.encode(), challenge):
            yield Forbidden()
        auth_info = yield b"\x04"
        good = auth_info.data.rstrip(b"\0") == PASSWORD.encode()
        yield Success(auth_info.username) if good else Forbidden()


class Users(IdentityProvider):
    def __init__(self, plugin):
        self.plugins = [plugin, NativePasswordAuthPlugin()]

    def get_plugins(self):
        return self.plugins

    async def get_user(self, username):
        # `old` has the older kind of password.
        if username not in (USER, "old"):
            return None
        plugin = self.plugins[username == "old"].name
        return User(username, NativePasswordAuthPlugin.create_auth_string(PASSWORD), plugin)


class Shop(Session):
    async def query(self, expression, sql, attrs):
        found = execute(expression, tables={"orders": [{"id": 7}, {"id": 8}]})
        return found.rows, list(found.columns)


class Server(MysqlServer):
    async def _client_connected_cb(self, reader, writer):
        # A request for TLS has 36 bytes. What asyncio reads beyond it is lost for the handshake.
        writer.transport.max_size = 36
        await super()._client_connected_cb(reader, writer)


async def serve_mysql(port, plugin, tls):
    server = Server(session_factory=Shop, identity_provider=Users(plugin), ssl=tls)
    await server.start_server(host="127.0.0.1", port=port)
    return server


class Website(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")


def serve_https(port, tls):
    website = http.server.ThreadingHTTPServer(("127.0.0.1", port), Website)
    website.socket = tls.wrap_socket(website.socket, server_side=True)
    threading.Thread(target=website.serve_forever, daemon=True).start()


async def main():
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*sys.argv[1:3])
    mongodb, mongodb_tls, mysql, mysql_sha2, https = map(int, sys.argv[3:])
    serve_https(https, tls)
    servers = [
        await serve_mysql(mysql, NativePasswordAuthPlugin(), tls),
        await serve_mysql(mysql_sha2, CachingSha2(), tls),
        await serve_mongodb(mongodb, None),
        await serve_mongodb(mongodb_tls, tls),
    ]
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
