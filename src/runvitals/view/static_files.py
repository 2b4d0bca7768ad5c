"""Where the build of `web/` leaves the pages of the dashboard and of reports."""

from pathlib import Path

STATIC = Path(__file__).parents[1] / "server" / "static"
