"""What the site changes in the pages: links to files of the repository that are not pages."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:examples|benchmarks|README|CONTRIBUTING)[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show what lies outside of docs/ by its name, as the site does not have it."""
    return OUTSIDE.sub(r"`\1`", markdown)
