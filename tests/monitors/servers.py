"""Real servers of several protocols on free ports of this machine, for monitors.

Says its ports as one line of JSON. `servers.py CERTIFICATE KEY`: the files of the certificate for gRPC over TLS.
"""

import asyncio
import json
import socket
import sys

import grpc
import websockets
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import cmdrsp, context


class Guarded(grpc.aio.ServerInterceptor):
    """Wants a token for the service `guarded`, as an interceptor of real servers does."""

    async def intercept_service(self, continuation, details):
        metadata = dict(details.invocation_metadata)
        if metadata.get("x-want") == "token" and metadata.get("authorization") != "Bearer right":

            async def refuse(request, call):
                await call.abort(grpc.StatusCode.UNAUTHENTICATED, "no token")

            return grpc.unary_unary_rpc_method_handler(refuse)
        return await continuation(details)


async def serve_grpc(certificate, key):
    server = grpc.aio.server(interceptors=[Guarded()])
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    await servicer.set("orders.v1.Orders", health_pb2.HealthCheckResponse.SERVING)
    await servicer.set("mail.v1.Mail", health_pb2.HealthCheckResponse.NOT_SERVING)
    plain = server.add_insecure_port("127.0.0.1:0")
    with open(key, "rb") as key, open(certificate, "rb") as certificate:
        credentials = grpc.ssl_server_credentials([(key.read(), certificate.read())])
    encrypted = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    return server, plain, encrypted


async def talk(connection):
    """Greets, and then answers each message with its name."""
    if connection.request.path == "/silent":
        await asyncio.Event().wait()
    await connection.send("hello")
    async for message in connection:
        await connection.send(json.dumps({"op": "pong", "of": message}))


def guard(connection, request):
    if request.path.startswith("/guarded") and request.headers.get("Authorization") != "Bearer right":
        return connection.respond(401, "no token\n")
    return None


def serve_snmp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    snmp = engine.SnmpEngine()
    transport = udp.UdpTransport().open_server_mode(("127.0.0.1", port))
    config.add_transport(snmp, udp.DOMAIN_NAME, transport)
    config.add_v1_system(snmp, "area", "monitoring")
    for version in (1, 2):
        config.add_vacm_user(snmp, version, "area", "noAuthNoPriv", (1, 3, 6, 1, 2, 1))
    cmdrsp.GetCommandResponder(snmp, context.SnmpContext(snmp))
    return snmp, port


async def main():
    server, plain, encrypted = await serve_grpc(*sys.argv[1:3])
    snmp, snmp_port = serve_snmp()
    async with websockets.serve(talk, "127.0.0.1", 0, process_request=guard) as sockets:
        port = sockets.sockets[0].getsockname()[1]
        ports = {"grpc": plain, "grpcs": encrypted, "websocket": port, "snmp": snmp_port}
        print(json.dumps(ports), flush=True)
        # The test closes our input at its end.
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(None)
    snmp.close_dispatcher()


asyncio.run(main())
