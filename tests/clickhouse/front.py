"""ClickHouse's HTTP interface, as far as the tests need it, before the engine that chdb-core embeds.

    python front.py DIRECTORY [PORT]

keeps its tables in DIRECTORY, listens on that port of 127.0.0.1 or on a free one, which it prints, and ends when its standard input does.

A statement, of the database that `database` names, is the body of a POST, or stands in the URL's `query` with its data, of whatever bytes, in the body.
`param_NAME` binds a value, `default_format` says how rows are written. Settings of a request are those in ACTING, which
join the settings of the statement's text; what is in HARMLESS changes nothing here. Every other parameter of the URL is
refused, so that nobody believes it acts. Failures are answered with 400, the number of the exception in a header, and
the engine's words.
"""

import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

ACTING = {
    "readonly",
    "max_execution_time",
    "max_memory_usage",
    "max_result_rows",
    "max_result_bytes",
    "result_overflow_mode",
    "output_format_json_quote_64bit_integers",
    "output_format_json_quote_denormals",
}
# Answers are sent when they are whole, and statements cannot be cancelled.
HARMLESS = {("wait_end_of_query", "1"), ("cancel_http_readonly_queries_on_client_close", "1")}


class Front(BaseHTTPRequestHandler):
    """One request; the engine runs one statement at a time."""

    session: Session
    turns = ThreadPoolExecutor(max_workers=1)
    database = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        statement, values, settings, form, database = "", {}, [], "TabSeparated", "default"
        for name, value in parse_qsl(urlsplit(self.path).query, keep_blank_values=True):
            if name == "query":
                statement = value + "\n"
            elif name == "default_format":
                form = value
            elif name == "database":
                database = value
            elif name.startswith("param_"):
                values[name.removeprefix("param_")] = value
            elif name in ACTING:
                settings.append(f"{name} = '{value}'")
            elif (name, value) not in HARMLESS:
                return self.answer(400, f"unknown parameter {name}".encode())
        status, rows = self.turns.submit(self.run, database, statement, body, settings, form, values).result()
        self.answer(status, rows)

    def run(self, database: str, statement: str, body: bytes, settings: list, form: str, values: dict) -> tuple[int, bytes]:
        if b"\n\n" in body and re.search(r" FORMAT RowBinary\s*$", statement):
            # An empty line ends what stands behind a statement, whatever it is.
            statement, body = self.from_file(statement, body), b""
        text = statement.encode() + body
        if settings:
            text += (b", " if b" SETTINGS " in text else b" SETTINGS ") + ", ".join(settings).encode()
        try:
            if database != Front.database:
                self.session.query(f"USE `{database}`")
                Front.database = database
            rows = self.session.query(text, form, params=values)
        except Exception as failure:  # The engine has one kind only.
            # What it had written of this answer would stand in front of the next one.
            self.session.query("SELECT 1")
            return 400, str(failure).encode()
        return 200, rows.bytes() or b""

    def from_file(self, statement: str, body: bytes) -> str:
        path = os.path.join(sys.argv[1], "body")
        with open(path, "wb") as file:
            file.write(body)
        return re.sub(r"( SETTINGS .*)? FORMAT RowBinary\s*$", rf" FROM INFILE '{path}'\g<0>", statement)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        code = re.search(rb"Code: (\d+)", body) if status != 200 else None
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code[1].decode())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Connections of which nothing comes keep nobody waiting."""

    daemon_threads = True
    request_queue_size = 128


def main() -> None:
    Front.session = Session(sys.argv[1])
    # Compiling to machine code takes longer than any statement over a few rows.
    Front.session.query("SET compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0")
    server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Front)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    # Whoever asked is gone, and so will be the directory.
    os._exit(0)


main()
