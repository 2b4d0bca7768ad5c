"""ASCII boxes of Stable-Baselines3, OpenAI Baselines and Spinning Up: log.txt or captured stdout."""

import re
from collections.abc import Iterator

from runvitals.readers.console._lines import Found, LineParser
from runvitals.readers.console._sniff import known_by_rows
from runvitals.readers.raw.numbers import as_number

ID = "sb3-table"

# what is left of a progress bar that a rule was printed over (SB3 with `progress_bar=True`)
_BAR = "[^-|\n]{0,200}[━╸╺][^|\n]{0,2000}"
_RULE = re.compile(rf"-{{5,}}(?:{_BAR})?")
_MARK = re.compile(rf"-{{5,}}(?:{_BAR})?\s{{1,4}}\|[^|\n]{{1,200}}\|[^|\n]{{1,200}}\|".encode())
_MAX_ROWS = 2_000  # of one box


class Sb3TableParser(LineParser):
    """A box is a row: a rule of dashes, `| group/ | |` and `|    key | value |` lines, a rule."""

    ID = ID
    step_names = (
        "total_timesteps", "timestepssofar", "totalenvinteracts", "misc/total_timesteps",
        "total/steps", "steps", "timesteps", "nupdates", "misc/nupdates", "iterations", "epoch",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._row: dict[str, float] | None = None
        self._group = ""
        self._cut = False

    def feed(self, line: str) -> Iterator[Found]:
        """The box that this line closes."""
        text = line.strip()
        if not text:
            return
        if text[0] == "-":
            if _RULE.fullmatch(text):
                yield from self.end()
                self._row, self._group = {}, ""
        elif text[0] == "|" and self._row is not None:
            self._line(text)

    def end(self) -> Iterator[Found]:
        """The open box."""
        row, self._row = self._row, None
        if row:
            yield "", row

    def _line(self, text: str) -> None:
        cells = text.split("|")
        if len(cells) < 4 or cells[0] or cells[-1] or self._row is None:
            return
        cell, value = "|".join(cells[1:-2]), cells[-2].strip()
        key = cell.strip()
        if not key:
            return
        if not value and key.endswith("/"):
            self._group = key
            if key in ("rollout/", "time/", "train/", "eval/"):
                self.framework = "stable-baselines3"
            return
        if not cell.startswith("    "):
            self._group = ""
        number = as_number(value)
        if number is None or len(self._row) >= _MAX_ROWS:
            return
        if key.endswith("...") and not self._cut:
            self._cut = True
            self.warnings.append(f"long names were cut by the table: {self._group}{key}")
        self._row[self._group + key] = number


READER = known_by_rows(
    Sb3TableParser, "Stable-Baselines3, Baselines or Spinning Up tables", _MARK, 85
)
