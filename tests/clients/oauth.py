"""Connects to the MCP endpoint with the published SDK for Python by its address alone, and prints what came of it.

usage: python oauth.py BASE_URL COOKIE ORGANIZATION_ID
The person's browser is played here, too.
"""

import asyncio
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

import httpx2
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

BASE, COOKIE, ORGANIZATION = sys.argv[1:]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


BROWSER = urllib.request.build_opener(Stay)


def visit(url, data=None, content_type="application/x-www-form-urlencoded"):
    """Status, body and location of an answer to the person's browser."""
    headers = {"cookie": COOKIE}
    if data is not None:
        headers |= {"origin": BASE, "content-type": content_type}
    request = urllib.request.Request(urllib.parse.urljoin(BASE, url), data, headers)
    try:
        answer = BROWSER.open(request)
    except urllib.error.HTTPError as refused:
        answer = refused
    return answer.status, answer.read().decode(), answer.headers.get("location")


class Kept:
    tokens = None
    info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.info

    async def set_client_info(self, info):
        self.info = info


class Person:
    led = 0

    async def follow(self, url):
        self.led += 1
        _, _, page = visit(url)
        _, text, _ = visit(page)
        request = re.search(r'name="request" value="([^"]+)"', text).group(1)
        form = {"request": request, "organization": ORGANIZATION, "decision": "allow", "scopes": "read:data"}
        _, _, self.location = visit(page, urllib.parse.urlencode(form).encode())

    async def answer(self):
        if self.led > 1:
            raise RuntimeError("asked again")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.location).query))
        return AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])


async def main():
    kept, person = Kept(), Person()
    metadata = OAuthClientMetadata(client_name="SDK", redirect_uris=["http://127.0.0.1:41234/callback"])
    auth = OAuthClientProvider(f"{BASE}/v1/mcp", metadata, kept, person.follow, person.answer)
    told = {}
    try:
        async with httpx2.AsyncClient(auth=auth) as http:
            async with streamable_http_client(f"{BASE}/v1/mcp", http_client=http) as streams:
                async with ClientSession(streams[0], streams[1]) as session:
                    await use(session, auth, kept, told)
    except BaseException:
        # The SDK ends its session when the person doesn't allow it again.
        if "ended" not in told:
            raise
        told.setdefault("after", "refused")
    print(json.dumps(told | {"led": person.led}), flush=True)
    os._exit(0)


async def use(session, auth, kept, told):
    async def count():
        result = await session.call_tool("list_websites", {})
        return json.loads(result.content[0].text)["count"]

    await session.initialize()
    first, before = await count(), kept.tokens
    # The SDK goes by its own clock.
    auth.context.token_expiry_time = 1.0
    second = await count()
    refreshed = kept.tokens.refresh_token != before.refresh_token
    _, apps, _ = visit("/api/auth/list-apps")
    body = json.dumps({"id": json.loads(apps)[0]["id"]}).encode()
    ended, _, _ = visit("/api/auth/revoke-app", body, "application/json")
    told |= {"first": first, "second": second, "refreshed": refreshed, "scope": before.scope, "ended": ended}
    await asyncio.wait_for(count(), 20)
    told["after"] = "answered"


asyncio.run(main())
