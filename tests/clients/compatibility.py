"""Sends events with the published Python client of PostHog, unchanged but for its address, and prints what went wrong.

usage: python compatibility.py TRACK_URL
"""

import json
import sys

from posthog import Posthog

errors = []
for gzip in (False, True):
    client = Posthog(
        "phc_test",
        host=sys.argv[1],
        gzip=gzip,
        max_retries=0,
        on_error=lambda error, batch: errors.append(str(error)),
    )
    name = "python_packed" if gzip else "python_plain"
    client.capture(name, distinct_id="user-py", properties={"plan": "pro"})
    client.set(distinct_id="user-py", properties={"email": "py@example.com"})
    client.alias(previous_id="anon-py", distinct_id="user-py")
    client.shutdown()
print(json.dumps(errors))
