"""Access control: the server's own pages, opened by its link."""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Self
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.server.requests import refusal

_AT_HOME = ("localhost", "127.0.0.1", "::1")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class AccessControl:
    """Checks each request before the application does.

    ``token`` is secret, in the link, later in a cookie. Empty if only this machine can connect;
    then the Host header must name this machine, which blocks DNS rebinding.
    """

    token: str = ""

    @classmethod
    def for_host(cls, host: str, token: str = "") -> Self:
        """Return the access control of a server at an address, with this token or a new one."""
        return cls("" if host in _AT_HOME else token or secrets.token_urlsafe(16))

    def guarding(self, app: ASGIApp) -> ASGIApp:
        """Return the application behind this access control."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    MutableHeaders(scope=message).update(_HEADERS)
                await send(message)

            refused = self._refused(Request(scope)) if scope["type"] == "http" else None
            await (refused or app)(scope, receive, sending)

        return guarded

    def _refused(self, request: Request) -> ASGIApp | None:
        """Return a response to send instead of the application's; ``None`` admits the request."""
        headers = request.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.token and _name_of(host) not in _AT_HOME:
            return refusal(421, "expected a request to localhost")
        is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        is_foreign = is_foreign and request.scope["path"].startswith("/api/")
        if is_foreign or (origin is not None and origin.partition("://")[2] != host):
            return refusal(403, "expected a request from the page itself")
        kind = headers.get("content-type", "").partition(";")[0].strip()
        if request.method == "POST" and kind != "application/json":
            return refusal(415, "expected application/json")
        if not self.token or self._is_token(request.cookies.get(self.cookie, "")):
            return None
        if not self._is_token(request.query_params.get("token", "")):
            return refusal(401, "expected the link that the server has printed")
        response = RedirectResponse("/", 303)
        # Browsers would not send a "strict" cookie after a click on the link on another site.
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
        return response

    @property
    def cookie(self) -> str:
        """The name of the cookie with the token; all servers on a host share cookies."""
        return f"hex_token_{sha256(self.token.encode()).hexdigest()[:8]}"

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
