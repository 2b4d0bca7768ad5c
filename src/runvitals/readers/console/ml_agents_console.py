"""Unity ML-Agents' console: `Walker. Step: 30000. Time Elapsed: 60.2 s. Mean Reward: 1.5. ...`."""

import re
from collections.abc import Iterator

from runvitals.readers.console._lines import Found, LineParser
from runvitals.readers.console._sniff import known_by_rows
from runvitals.readers.raw.numbers import parse_number

ID = "ml-agents-console"

_LINE = re.compile(
    r"(?:^|\]\s?|:\s)([^\[\]:]{1,120}?)\.? Step: (\d{1,15})\. (?:Time Elapsed: ([\d.]+) s\.)?"
)
_FIELD = re.compile(
    r"(Mean Reward|Std of Reward|Mean Group Reward|ELO): ([-+\w.]{1,40}?)(?=\.? |\.?$)"
)
_MARK = re.compile(rb" Step: \d{1,15}\. ")


class MlAgentsParser(LineParser):
    """Each behaviour is a run of its own, as it is in ML-Agents' result folders."""

    ID = ID
    framework = "ml-agents"
    axes_are_runs = True
    step_names = ("step",)

    def feed(self, line: str) -> Iterator[Found]:
        """The summary on this line."""
        if " Step: " not in line:
            return
        begin = _LINE.search(line)
        if begin is None:
            return
        row: dict[str, float] = {"Step": int(begin[2])}
        elapsed = parse_number(begin[3] or "")
        if elapsed is not None:
            row["Time Elapsed"] = elapsed
        for field in _FIELD.finditer(line, begin.end()):
            value = parse_number(field[2])
            if value is not None:
                row[field[1]] = value
        if len(row) > 1:
            yield begin[1].strip().removesuffix(":"), row


READER = known_by_rows(MlAgentsParser, "Unity ML-Agents console log", _MARK, 85)
