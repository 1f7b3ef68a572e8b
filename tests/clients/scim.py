"""Runs the published compliance checks for SCIM servers (scim2-tester), and prints what they found as JSON.

usage: python scim.py BASE_URL TOKEN
"""

import collections
import json
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

BASE, TOKEN = sys.argv[1:]

client = httpx2.Client(
    base_url=f"{BASE}/scim/v2", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
)
results = check_server(SyncSCIMClient(client))
counts = collections.Counter(result.status.name for result in results)
others = [
    {
        "title": result.title,
        "status": result.status.name,
        "resource": result.resource_type,
        "reason": str(result.reason)[:400],
    }
    for result in results
    if result.status.name in ("DEVIATION", "ERROR", "CRITICAL")
]
print(json.dumps({"counts": counts, "others": others}))
