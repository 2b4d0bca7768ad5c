"""Who may read: the right host name, the same origin, and the token if there is one.

A page of another site must not read runs through the user's browser. Its requests carry its Origin;
and if it has its own name resolve to this machine (DNS rebinding), they carry that name as Host.
"""

import hmac
import ipaddress
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runvitals.server import login
from runvitals.server.scopes import EVERYTHING, TokenHolder, reading

LOCAL = ("localhost", "127.0.0.1", "::1")
ANY = "*"
WRITE_TOKEN = "x-runvitals-token"
MAX_WRITTEN = 300_000  # bytes of a request that changes something
ONLY_HEAD = "runvitals.only_head"  # in the scope of a request without interest in the content
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Stands before the app. `hosts` are names besides this machine's own that a browser may use."""

    def __init__(
        self,
        app: ASGIApp,
        token: str | None,
        hosts: Iterable[str] = (),
        readers: Iterable[TokenHolder] = (),
        write_token: str | None = None,
    ) -> None:
        self._app = app
        self._write_token = write_token
        self._readers = (*(() if token is None else (TokenHolder("", token),)), *readers)
        self._hosts = frozenset((*LOCAL, *(host.lower().strip("[]") for host in hosts)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = scope["method"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif asked == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        refused, reader = self._refused(scope)
        if asked == "HEAD":  # answered like GET, without the content
            scope = {**scope, "method": "GET", ONLY_HEAD: True}
        with reading(EVERYTHING if reader is None else reader.projects):
            await (refused or self._app)(scope, receive, send_with_headers)

    def _refused(self, scope: Scope) -> tuple[Response | None, TokenHolder | None]:
        """An answer that says why not, if so, and who asks, if that has to be known."""
        headers = Headers(scope=scope)
        refused = self._wrong(scope, headers)
        if refused is not None or not self._readers:
            return refused, None
        return self._who(scope, headers)

    def _wrong(self, scope: Scope, headers: Headers) -> Response | None:
        if not self._is_ours(host_of(headers.get("host", ""))):
            return _no(403, "this host name is not served here; `--host` says which one is")
        origin = headers.get("origin")
        foreign = origin is not None and not _same(origin, headers.get("host", ""))
        if foreign or _embedded(headers):
            return _no(403, "requests from other sites are not answered")
        if scope["method"] not in ("GET", "HEAD"):
            return self._may_not_write(scope, headers)
        return None

    def _may_not_write(self, scope: Scope, headers: Headers) -> Response | None:
        """Only pages of this server write: they say so (Origin), and know a word others cannot read."""
        if self._write_token is None or scope["method"] != "PUT":
            allowed = "GET, HEAD" if self._write_token is None else "GET, HEAD, PUT"
            return _no(405, "this server only reads", {"Allow": allowed})
        if headers.get("origin") is None:
            return _no(403, "only pages of this server may write")
        if not _equal(headers.get(WRITE_TOKEN, ""), self._write_token):
            return _no(403, f"writing needs the word of `/api/write` in the header {WRITE_TOKEN}")
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_WRITTEN:
            return _no(413, f"at most {MAX_WRITTEN:,} bytes can be written at once")
        return None

    def _is_ours(self, host: str | None) -> bool:
        return host is not None and (ANY in self._hosts or host in self._hosts)

    def _who(self, scope: Scope, headers: Headers) -> tuple[Response | None, TokenHolder | None]:
        if scope["path"] == login.SCRIPT_PATH:
            return login.script(), None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in query if key == "token"]
        in_link = self._one_of(lambda one: [_equal(value, one.token) for value in given])
        to_look_at = "text/html" in headers.get("accept", "")
        if in_link is not None and (to_look_at or not scope["path"].startswith("/api/")):
            rest = urlencode([(key, value) for key, value in query if key != "token"])
            secure = headers.get("x-forwarded-proto", "").lower() == "https"
            answer = login.let_in(scope["path"], rest, in_link.token, secure=secure)
            return answer, None
        reader = in_link or self._by_header(headers)
        if reader is not None:
            return None, reader
        if to_look_at:
            return login.ask_for_token(), None
        told = "the link that `runvitals serve` printed has the token that is needed"
        return _no(401, told), None

    def _one_of(self, fits: Callable[[TokenHolder], Sequence[bool]]) -> TokenHolder | None:
        """The reader whom something fits; all are compared, whichever it is."""
        found = [reader for reader in self._readers if any(fits(reader))]
        return found[0] if found else None

    def _by_header(self, headers: Headers) -> TokenHolder | None:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            mine = bearer.strip()
            found = self._one_of(lambda one: [_equal(mine, one.token)])
            if found is not None:
                return found
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None

        def has_cookie(one: TokenHolder) -> list[bool]:
            kept = cookies.get(login.cookie_name(one.token))
            return [kept is not None and _equal(kept.value, login.cookie_value(one.token))]

        return self._one_of(has_cookie)


def _embedded(headers: Headers) -> bool:
    """Whether a page of another place wants it as a part of itself; a link to here is fine."""
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"


def host_of(header: str) -> str | None:
    """The host name in a Host header, in lower case without port; None if it is wrong.

    >>> host_of("LocalHost:8000"), host_of("[::1]:8000"), host_of("a@b")
    ('localhost', '::1', None)
    """
    try:
        parts = urlsplit(f"//{header}")
        host = parts.hostname
        parts.port  # noqa: B018  raises if it is none
    except ValueError:
        return None
    if not host or parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return host.rstrip(".")


def is_loopback(host: str) -> bool:
    """Whether an address to listen at can be reached from this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _same(origin: str, host: str) -> bool:
    """Whether an Origin is the very place that was asked."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _no(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status_code=status, headers=headers)
