"""What any page shows of runs, whoever asks: the server over HTTP, or a report in one file."""

from pathlib import Path

STATIC = Path(__file__).parents[1] / "server" / "static"  # where the build of `web/` leaves pages
