"""ClickHouse's HTTP interface, as far as the tests need it, before the engine that chdb-core embeds.

    python front.py DIRECTORY

keeps its tables in DIRECTORY, prints the port on 127.0.0.1 that it listens on, and ends when its standard input does.

A statement is the body of a POST, or stands in the URL's `query` with its data in the body. `param_NAME` binds a value,
`default_format` says how rows are written; every other parameter of the URL is refused, so that nobody believes it
acts. Failures are answered with 400 and the engine's words.
"""

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session


class Front(BaseHTTPRequestHandler):
    """One request; the engine runs one statement at a time."""

    session: Session

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        statement, values, form = "", {}, "TabSeparated"
        for name, value in parse_qsl(urlsplit(self.path).query, keep_blank_values=True):
            if name == "query":
                statement = value + "\n"
            elif name == "default_format":
                form = value
            elif name.startswith("param_"):
                values[name.removeprefix("param_")] = value
            else:
                return self.answer(400, f"unknown parameter {name}".encode())
        try:
            rows = self.session.query(statement + body, form, params=values)
        except Exception as failure:  # The engine has one kind only.
            return self.answer(400, str(failure).encode())
        self.answer(200, rows.bytes() or b"")

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


def main() -> None:
    Front.session = Session(sys.argv[1])
    # Compiling to machine code takes longer than any statement over a few rows.
    Front.session.query("SET compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0")
    server = HTTPServer(("127.0.0.1", 0), Front)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    # Whoever asked is gone, and so will be the directory.
    os._exit(0)


main()
