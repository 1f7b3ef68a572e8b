"""Asks for flags with published Python clients of other products, unchanged but for their address, and prints what they say.

usage: python flag-protocols.py BASE_URL TRACK_URL CONTEXTS_FILE
The file has Unleash contexts; every flag is decided for every one of them.
"""

import json
import sys
import tempfile
import threading

from posthog import Posthog
from UnleashClient import UnleashClient
from UnleashClient.events import UnleashEventType

base, track, file = sys.argv[1:]
with open(file, encoding="utf-8") as contexts_file:
    contexts = json.load(contexts_file)


def write(enabled, variant):
    payload = variant.get("payload") or {}
    return f"{int(enabled)}:{variant['name']}:{payload.get('value', '')}"


told = {}
ready = threading.Event()
with tempfile.TemporaryDirectory() as directory:
    client = UnleashClient(
        f"{base}/api",
        "shop",
        custom_headers={"Authorization": "*:default.servers"},
        cache_directory=directory,
        event_callback=lambda event: event.event_type == UnleashEventType.READY and ready.set(),
    )
    client.initialize_client()
    ready.wait(30)
    told["features"] = sorted(client.feature_definitions())
    told["decisions"] = [
        [
            write(client.is_enabled(name, dict(context)), client.get_variant(name, dict(context)))
            for name in told["features"]
        ]
        for context in contexts
    ]
    client.destroy()

errors = []
client = Posthog("phc_test", host=track, on_error=lambda error, batch: errors.append(str(error)))
person = {"plan": "pro"}
told["posthog"] = {
    "banner": client.feature_enabled("banner", "anna", person_properties=person),
    "colour": client.get_feature_flag("colour", "anna", person_properties=person),
    "payload": client.get_feature_flag_payload("banner", "anna", person_properties=person),
    "off": client.feature_enabled("banner", "ben", person_properties={"plan": "free"}),
    "all": client.get_all_flags("anna", person_properties=person).get("colour"),
}
client.shutdown()
told["errors"] = errors
print(json.dumps(told))
