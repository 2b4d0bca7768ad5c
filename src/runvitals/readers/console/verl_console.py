"""veRL's console: `step:12 - actor/pg_loss:-0.01 - critic/score/mean:0.4` behind a Ray prefix."""

import re
from collections.abc import Iterator
from pathlib import Path

from runvitals.readers.console._lines import Found, LineParser
from runvitals.readers.console._sniff import console_reader, is_text, rows_at_start
from runvitals.readers.raw.numbers import parse_number

ID = "verl-console"

_LINE = re.compile(r"(?:^|[\s\])>])step:(\d{1,15}) - (?=\S)")
_MARK = re.compile(rb"step:\d{1,15} - \S")
_STARTED = re.compile(rb"\((?:main_task|TaskRunner)(?:\.\w+)? pid=\d+")  # verl's Ray tasks
_ROUNDED = re.compile(r"-?\d+\.\d{3}")


class VerlParser(LineParser):
    """One row per step line; values may be wrapped as `np.float64(...)`."""

    ID = ID
    step_names = ("step",)

    def __init__(self) -> None:
        super().__init__()
        self._rounded = 0
        self._exact = False

    def feed(self, line: str) -> Iterator[Found]:
        """The row on this line, if it is a step line."""
        if "step:" not in line:
            if line.startswith("Training Progress: 100%"):
                self.finished = True
            return
        begin = _LINE.search(line)
        if begin is None:
            return
        row: dict[str, float] = {}
        held = ""  # a piece without a value: " - " inside a name
        for piece in line[begin.end() :].split(" - "):
            name, value = _pair(held + piece, self)
            if value is None:
                held = f"{held}{piece} - " if ":" not in piece and len(held) < 500 else ""
                continue
            held = ""
            row[name] = value
        if not row:
            return
        if self.framework is None and any(n.startswith(("actor/", "critic/")) for n in row):
            self.framework = "verl"
        self.finished = False
        yield "", {"step": int(begin[1]), **row}

    def note(self, text: str) -> None:
        """See whether values are printed with three decimals, as older versions do."""
        if not self._exact:
            if _ROUNDED.fullmatch(text):
                self._rounded += 1
                if self._rounded == 200:
                    self.warnings.append(
                        "values are rounded to three decimals: small ones such as the learning rate "
                        "and KL read 0.000"
                    )
            elif "." in text:
                self._exact = True


def _pair(text: str, parser: VerlParser) -> tuple[str, float | None]:
    name, _, value = text.rpartition(":")
    number = parse_number(value)
    if number is None and "(" in text:  # tensor(0.5, device='cuda:0')
        name, _, value = text.partition(":")
        number = parse_number(value)
    name = name.strip()
    if number is None or not name:
        return "", None
    parser.note(value)
    return name, number


def sniff(path: Path, head: bytes) -> int:
    """Step lines make it certain; a run that died in its start-up is still known by Ray's prefix."""
    if rows_at_start(path, head, VerlParser, _MARK, enough=1):
        return 95
    return 12 if is_text(head) and _STARTED.search(head) else 0


READER = console_reader(VerlParser, "veRL console log", sniff)
