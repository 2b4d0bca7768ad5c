"""Console output that is at hand as a whole, such as the text under a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runvitals.readers.console import key_value_text
from runvitals.readers.console._lines import ParserSession, make_logs
from runvitals.readers.console._stream import PARSERS
from runvitals.readers.log import Log


def logs_in_text(path: Path, data: bytes, settings: Mapping[str, Any]) -> list[Log]:
    """The runs in a text, by the surest reader that finds rows in it; none when there are none.

    `settings` are known from elsewhere.
    """
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\x08", b"\n").split(b"\n")
    for make, needed in PARSERS:
        if make is key_value_text.KeyValueParser and not key_value_text.lines_agree(lines):
            continue
        session = ParserSession(make())
        session.config.update(settings)
        for line in lines:
            session.feed(line)
        session.end()
        if session.count >= needed:
            logs = make_logs(path, session, [])
            if logs:
                return logs
    return []
