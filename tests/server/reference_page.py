"""Writes docs/reference/dashboard-api.md: `python -m tests.server.reference_page`."""

from __future__ import annotations

from pathlib import Path

from runvitals.server.app import create_app
from runvitals.server.reference import reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "dashboard-api.md"
NOTE = (
    "<!-- Generated from the endpoints by `python -m tests.server.reference_page`; do not edit. -->"
)


def page() -> str:
    """The page as Markdown."""
    title, _, rest = reference(create_app([]).openapi()).partition("\n")
    return f"{title}\n\n{NOTE}\n{rest}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[2])}")
