"""Asks pharos through HTTP and ClickHouse's engine the same questions about the same rows, turn by turn.

    "$(scripts/clickhouse)" benches/clickhouse/compare.py PROGRAM STORE [REPEAT]

PROGRAM is the release binary, STORE a directory that `cargo bench --bench queries -- --store STORE` has filled, as an absolute path.
The engine reads the one sorted file of that benchmark into two tables, ordered by website and time and by website, kind and time;
of both the faster one counts, question by question. Both sides have as many threads. Each is asked twice in a row and the second
answer counts, so neither pays for what another left in caches of the machine.
"""

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPConnection

from chdb.session import Session
from statements import STATEMENTS

# The range of `last_90d` where the benchmark's clock stands, Unix ms.
DAY_MS = 86_400_000
TO = (1_760_529_600_000 // DAY_MS + 1) * DAY_MS
FROM = TO - 90 * DAY_MS
THREADS = 2
ORDERS = {"by_time": "website, time", "by_kind": "website, kind, time"}
# Numbers that may be missing; everything else has a value in each row, or is empty.
MAYBE = {"value", "interactions", "first_interaction", "load_time", "ttfb", "scroll_depth", "active_time", "time_on_page"}


class Engine:
    """ClickHouse's engine with both tables."""

    def __init__(self, store: str, website: int) -> None:
        self.session = Session(os.path.join(store, "clickhouse"))
        self.run(f"SET max_threads = {THREADS}")
        file = f"file('{store}/sorted.parquet', Parquet)"
        described = json.loads(self.run(f"DESCRIBE {file} FORMAT JSON"))["data"]
        columns = ", ".join(self.column(file, one["name"], one["type"]) for one in described)
        for table, order in ORDERS.items():
            if int(self.run(f"EXISTS TABLE {table}")) == 0:
                self.run(f"CREATE TABLE {table} ENGINE = MergeTree ORDER BY ({order}) AS SELECT {columns} FROM {file}")
                self.run(f"OPTIMIZE TABLE {table} FINAL")
            rows = f"SELECT * FROM {table} WHERE website = {website} AND time >= {FROM} AND time < {TO} AND bot = 0"
            self.run(f"CREATE OR REPLACE VIEW mine_{table} AS {rows}")
            self.run(f"CREATE OR REPLACE VIEW views_{table} AS {rows} AND kind = 1 AND name = 'screen_view'")

    def run(self, statement: str, form: str = "CSV") -> str:
        return self.session.query(statement, form).bytes().decode()

    def column(self, file: str, name: str, kind: str) -> str:
        plain = re.sub(r"^Nullable\((.*)\)$", r"\1", kind)
        if plain != "String":
            return f"{name}" if name in MAYBE or plain == kind else f"assumeNotNull({name}) AS {name}"
        few = int(self.run(f"SELECT uniq({name}) < 10000 FROM {file}"))
        text = f"ifNull({name}, '')"
        return f"toLowCardinality({text}) AS {name}" if few else f"{text} AS {name}"

    def ask(self, kind: str, table: str) -> tuple[float, int]:
        statement = re.sub(r"\b(FROM|JOIN) (mine|views)\b", rf"\1 \2_{table}", STATEMENTS[kind])
        start = time.perf_counter()
        answer = self.session.query(statement, "JSONCompactEachRow").bytes()
        return (time.perf_counter() - start) * 1e3, answer.count(b"\n")


class Program:
    """The release program over the store."""

    def __init__(self, binary: str, built: dict) -> None:
        ports = [free() for _ in range(3)]
        named = zip(("API", "TRACK", "LINKS"), ports, strict=True)
        settings = {f"PHAROS__SERVER__{name}_LISTEN": f"127.0.0.1:{port}" for name, port in named}
        settings |= {f"PHAROS__LIMITS__{name}": "0" for name in ("QUERY_REQUESTS", "KEY_REQUESTS", "KEY_IN_FLIGHT")}
        settings |= {"PHAROS__QUERY__CACHE": "0", "PHAROS__QUERY__THREADS": str(THREADS), "PHAROS__STORAGE__DATA_DIR": built["data"]}
        log = subprocess.DEVNULL
        self.child = subprocess.Popen([binary, "serve"], env=os.environ | settings, cwd=built["data"], stdout=log, stderr=log)
        health = f"http://127.0.0.1:{ports[0]}/health"
        while self.child.poll() is None:
            try:
                urllib.request.urlopen(health).close()
                break
            except OSError:
                time.sleep(0.01)
        self.connection = HTTPConnection("127.0.0.1", ports[0])
        self.path = f"/v1/query?website_id={built['website']}"
        self.headers = {"x-api-key": built["key"], "content-type": "application/json"}

    def ask(self, kind: str) -> tuple[float, int]:
        day = lambda ms: time.strftime("%Y-%m-%d", time.gmtime(ms / 1e3))
        body = json.dumps({"parameters": [kind], "startDate": day(FROM), "endDate": day(TO - 1)})
        start = time.perf_counter()
        self.connection.request("POST", self.path, body, self.headers)
        answer = self.connection.getresponse().read()
        took = (time.perf_counter() - start) * 1e3
        outcome = json.loads(answer)["data"][0]
        assert outcome["success"], answer
        return took, len(outcome["data"])


def twice(ask: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    ask()
    return ask()


def free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def main() -> None:
    binary, store, repeat = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["7"])[0])
    with open(os.path.join(store, "built.json"), encoding="utf-8") as file:
        built = json.load(file)
    engine = Engine(store, built["website_number"])
    program = Program(binary, built)
    ahead = 0
    print(f"{'type, last 90 days':28} {'rows':>6} {'pharos ms':>10} {'ClickHouse ms':>14} {'ratio':>6}  table")
    try:
        for kind in STATEMENTS:
            took = {"pharos": [], "by_time": [], "by_kind": []}
            for turn in range(repeat + 1):
                asked = {"pharos": twice(lambda: program.ask(kind))}
                asked |= {table: twice(lambda: engine.ask(kind, table)) for table in ORDERS}
                counts = {rows for _, rows in asked.values()}
                assert len(counts) == 1, f"{kind}: {asked}"
                for name, (ms, _) in asked.items():
                    took[name] += [ms] if turn else []
            own, *others = (statistics.median(all) for all in took.values())
            best = min(others)
            ahead += own < best
            table = list(ORDERS.values())[others.index(best)]
            print(f"{kind:28} {counts.pop():>6} {own:>10.1f} {best:>14.1f} {own / best:>6.2f}  {table}", flush=True)
    finally:
        program.child.terminate()
        program.child.wait()
    print(f"pharos is ahead in {ahead} of {len(STATEMENTS)}")


main()
