"""``oht-server``: a local tournament server."""

import argparse
import asyncio
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from socket import gethostbyname

from base.storage import printable
from cli.shell import command_line
from commands.oht import SERVER_FOLDER
from hex_mcts.system import System
from oht_client.server.server import OHTServer
from oht_client.transport import is_here


def run(system: System, arguments: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    server = OHTServer(system.params, SERVER_FOLDER, _tell)
    asyncio.run(_serve(server, system.params.oht_server.host))


async def _serve(server: OHTServer, host: str) -> None:
    await server.start()
    try:
        for line in greeting(server.ports, host):
            _tell(line)
        await asyncio.Event().wait()
    finally:
        await server.stop()


def greeting(ports: Mapping[str, int], host: str) -> Iterator[str]:
    """Yield the addresses of a server, and the command that connects to it."""
    text, qualifiers, league = (ports[name] for name in ("text", "json", "league"))
    place, certificate = host, SERVER_FOLDER / "server.crt"
    if ip_address(gethostbyname(host)).is_unspecified:
        yield f"listening on all addresses of this machine ({host}): any machine can connect"
        place = "localhost"
    yield f"certificate  {certificate}"
    yield f"protocol 1   {host}:{text}"
    yield f"protocol 2   {host}:{qualifiers}, league {host}:{league}"
    words = ["--verify", "--server", f"{place}:{text}", "--net", "NET"]
    if not is_here(place):
        words.append(f"oht.certificate={certificate}")
    yield f"Now, elsewhere: {command_line('oht', *words)}"


def _tell(text: str) -> None:
    print(printable(text, 1000), flush=True)
