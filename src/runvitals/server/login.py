"""How a browser gets in with the token, and then keeps a cookie instead."""

import hashlib
import hmac
import html
from urllib.parse import quote

from starlette.responses import HTMLResponse, Response

SCRIPT_PATH = "/api/entrance.js"
SCRIPT = """const query = new URLSearchParams(location.search);
query.delete('token');
location.replace(location.pathname + (query.size ? `?${query}` : '') + location.hash);
"""
MONTH = 30 * 86_400  # seconds
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>runvitals</title>{head}</head>
<body>{body}</body></html>
"""
FORM = """<h1>runvitals</h1>
<p>Open the link that <code>runvitals serve</code> printed, or enter the token in it:</p>
<form method="get" action="./"><label>Token <input type="password" name="token" required
autocomplete="current-password"></label>
<button>Open</button></form>"""


def cookie_name(token: str) -> str:
    """One for each token: cookies do not tell servers on other ports apart."""
    return f"runvitals_{hashlib.blake2b(_bytes(token), digest_size=4).hexdigest()}"


def cookie_value(token: str) -> str:
    """What stands for the token, since a browser shows its cookies to servers on other ports too."""
    return hmac.digest(_bytes(token), b"cookie", "sha256").hex()


def let_in(path: str, query: str, token: str, *, secure: bool = False) -> Response:
    """Remember the browser and go on to the same address without the token in it.

    A page that moves on by itself, rather than a redirect: after a click on the link in another site
    browsers send a strict cookie only with what our own page asks for. The script keeps what stands
    behind `#`, where the dashboard has its state; without scripts the page moves on all the same.
    """
    up = "../" * (path.count("/") - 1)
    address = f"./{quote(path.rpartition('/')[2])}"  # relative: never //other.site
    where = html.escape(f"{address}?{query}" if query else address)
    answer = HTMLResponse(
        PAGE.format(
            head=f'<meta http-equiv="refresh" content="1; url={where}">'
            f'<script src="{up}{SCRIPT_PATH[1:]}"></script>',
            body=f'<a href="{where}">Go on</a>',
        ),
        headers={"Cache-Control": "no-store"},
    )
    answer.set_cookie(
        cookie_name(token),
        cookie_value(token),
        httponly=True,
        samesite="strict",
        max_age=MONTH,
        secure=secure,
    )
    return answer


def script() -> Response:
    """What takes the token out of the address. It tells nothing, so that anybody may have it."""
    return Response(SCRIPT, media_type="text/javascript")


def ask_for_token() -> Response:
    """A page for somebody who came without it."""
    text = PAGE.format(head="", body=FORM)
    return HTMLResponse(text, status_code=401, headers={"Cache-Control": "no-store"})


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "replace")
