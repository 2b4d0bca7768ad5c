"""Console logs of RL frameworks with a form of their own, each known by how it announces a step.

OpenRLHF, slime, SkyRL    `Global step 3: {...}`, `rollout 3: {...}`, `Step 3:` and a printed dict
prime-rl, torchtune       `Step 3 | Loss 0.01 | Entropy 0.3`, `Step 3 | loss:1.2 lr:2e-05`
NeMo-RL, torchforge       a header with the step, then `• Loss: 0.1` or `key: 0.1` lines
AReaL, rsl_rl             a header with the step, then a grid or right-aligned `Mean reward: 1.2` lines
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from runvitals.readers.console._lines import Axis, Found, LineParser
from runvitals.readers.console._sniff import console_reader, is_json, rows_at_start
from runvitals.readers.raw.literals import parse_dict, parse_literal
from runvitals.readers.raw.numbers import as_number, parse_number
from runvitals.readers.rows.table import Table

ID = "rl-console"

_STEP = "step"
_MAX_NAMES = 4_000
_MAX_DICT_LENGTH = 2**18
_PATIENCE = 400  # foreign lines within a block before it is given up

_NUMBER = r"[-+]?(?:\d[\d,]{0,30}\.?\d{0,30}(?:[eE][-+]?\d{1,4})?|\.\d{1,30}|nan|inf)"
_DICT = re.compile(r"(?:^|[^\w])(Global step|step|rollout|perf|eval) (\d{1,15}): (?=\{)")
_STEP_ALONE = re.compile(r"(?:^|[^\w/])Step (\d{1,15}):\s*(?=$|\{)")
_PIPES = re.compile(r"(?:^|[^\w])(?<!Micro )Step (\d{1,15})(?:/\d{1,15})? \| (?=\S)")
_FIELD = re.compile(
    rf"([A-Za-z][\w .%()/-]{{0,60}}?):?\s{{1,4}}({_NUMBER})([KMB]?)(?:\s?%|\s.{{0,30}})?"
)
_TIME = re.compile(rf"({_NUMBER})s")
_COLON_PAIR = re.compile(rf"(?<!\S)([A-Za-z][\w./%@-]{{0,100}}):({_NUMBER})(?=\s|$)")
_FORGE = re.compile(r"=== \[\w+\] - METRICS STEP (\d{1,15}) ===")
_NEMO = re.compile(r"= (?:Epoch \d{1,9}(?:/\d{1,9})?,? )?Step (\d{1,15})(?:/\d{1,15})? =")
_RSL = re.compile(r"Learning iteration (\d{1,15})(?:/\d{1,15})?")
_AREAL = re.compile(r"Train step (\d{1,15})/\d{1,15} done")
_LABEL = re.compile(
    rf"\s*[•*-]?\s*([A-Za-z][^:\n]{{0,120}}?):\s{{1,60}}({_NUMBER})\s?([A-Za-z%/²]{{0,12}})(?=$|[\s,(])"
)
_MARK = re.compile(
    rb"(?:[Ss]tep|rollout|perf|eval) \d{1,15}: ?(?:\{|\r?\n)|Step \d{1,15}(?:/\d{1,15})? \| |"
    rb"METRICS STEP \d|=== ?Step \d|Learning iteration \d|Train step \d{1,15}/"
)


class _Block:
    """Lines that belong to the step announced above them."""

    def __init__(
        self, framework: str, step: int, body: Callable[[_Block, str], bool], one_dict: bool = False
    ) -> None:
        self.framework = framework
        self.body = body
        self.one_dict = one_dict
        self.row: dict[str, Any] = {_STEP: step}
        self.section = ""
        self.text = ""
        self.foreign = 0

    def put(self, name: str, value: float | None) -> None:
        if value is not None and len(self.row) < _MAX_NAMES:
            self.row[name] = value


class RlConsoleParser(LineParser):
    """Knows the dialects by their headers; one file may hold more than one."""

    ID = ID
    step_names = (_STEP,)

    def __init__(self) -> None:
        super().__init__()
        self._block: _Block | None = None

    def settle(self, axis: Axis, table: Table) -> str:  # noqa: ARG002
        """Every row carries the step that was announced."""
        return _STEP

    def feed(self, line: str) -> Iterator[Found]:
        """The rows that this line completes."""
        if begun := self._header(line):
            yield from self.end()
            self._block = begun
            return
        if "{" in line and (found := _DICT.search(line)):
            yield from self._dict_line(found, line)
            return
        if " | " in line and (found := _PIPES.search(line)):
            yield from self.end()
            row = self._pipes(line[found.end() :])
            if row and self.framework:  # else `key_value_text` knows more of such lines
                yield "", {_STEP: int(found[1]), **row}
            return
        block = self._block
        if block is not None:
            if block.body(block, line):
                block.foreign = 0
                if block.one_dict:
                    yield from self.end()
            elif line.strip():
                block.foreign += 1
                if block.foreign > _PATIENCE:
                    yield from self.end()
                    self._block = None

    def end(self) -> Iterator[Found]:
        """The open block; one that holds no metric yet stays open, for they may come minutes later."""
        block = self._block
        if block is not None and len(block.row) > 1:
            self._block = None
            if block.framework:
                self.framework = block.framework
            yield "", block.row

    def _header(self, line: str) -> _Block | None:
        """A block of its own kind, when this line begins one."""
        if "METRICS STEP" in line and (found := _FORGE.search(line)):
            return _Block("torchforge", int(found[1]), _labels)
        if "= " in line and (found := _NEMO.search(line)):
            return _Block("nemo-rl", int(found[1]), _nemo)
        if "Learning iteration" in line and (found := _RSL.search(line)):
            return _Block("rsl_rl", int(found[1]), _labels)
        if "Train step" in line and (found := _AREAL.search(line)):
            return _Block("areal", int(found[1]), _grid)
        if "Step " in line and (found := _STEP_ALONE.search(line)):
            block = _Block("", int(found[1]), _dict_lines, one_dict=True)
            _dict_lines(block, line[found.end() :])
            return block
        return None

    def _dict_line(self, found: re.Match[str], line: str) -> Iterator[Found]:
        literal = parse_dict(line, found.end())
        if literal is None:
            return
        word, step, row = found[1], int(found[2]), literal[0]
        values = {name: v for name, value in row.items() if (v := as_number(value)) is not None}
        if not values:
            return
        yield from self.end()
        if word == "Global step":
            self.framework = "openrlhf"
        elif word != "step" and any(name.startswith(f"{word}/") for name in values):
            self.framework = "slime"
        axis = "" if word in ("Global step", "step") else "rollout"  # slime counts them apart
        yield axis, {_STEP: step, **values}

    def _pipes(self, text: str) -> dict[str, float]:
        row: dict[str, float] = {}
        for field in text.split(" | ")[:100]:
            pairs = _COLON_PAIR.findall(field)
            if pairs:
                row.update({n: v for n, t in pairs if (v := _number(t)) is not None})
            elif pair := _FIELD.fullmatch(field.strip()):
                value = _number(pair[2], pair[3])
                if value is not None:
                    row[pair[1].strip()] = value
            elif alone := _TIME.fullmatch(field.strip()):
                value = _number(alone[1])
                if value is not None:
                    row["Time"] = value
        if "Mismatch KL" in row or "Grad. Norm" in row:
            self.framework = "prime-rl"
        elif "tokens_per_second_per_gpu" in row:
            self.framework = "torchtune"
        return row


def _number(text: str, unit: str = "") -> float | None:
    value = parse_number(text.replace(",", "").rstrip("."))
    return None if value is None else value * {"K": 1e3, "M": 1e6, "B": 1e9}.get(unit, 1.0)


def _labels(block: _Block, line: str) -> bool:
    """`Mean reward: 1.2` or `key: 0.5`."""
    found = _LABEL.match(line) if len(line) < 1000 else None
    if found is None:
        return False
    block.put(found[1].strip(), _number(found[2]))
    return True


def _nemo(block: _Block, line: str) -> bool:
    """Sections `Training Results:`, `Timing:`, ... with bullet lines."""
    text = line.strip()
    if text.endswith(":") and len(text) < 80:
        title = text.lower()
        block.section = "".join(
            part for word, part in _SECTIONS if word in title and not title.startswith("•")
        )
        return True
    if not text.startswith(("•", "* ", "- ")):
        return False
    found = _LABEL.match(line) if len(line) < 1000 else None
    if found is not None:
        block.put(block.section + found[1].strip(), _number(found[2]))
    return found is not None


_SECTIONS = (("validation", "validation/"), ("timing", "timing/"), ("performance", "performance/"))


def _grid(block: _Block, line: str) -> bool:
    """`│ ppo_actor/loss │ 1.2e-03 │ ppo_actor/kl │ 4.0e-04 │`, two columns for each name."""
    if "│" not in line:
        return line.lstrip()[:1] in ("╒", "├", "╞", "╘")
    cells = [cell.strip() for cell in line[: 2**14].split("│")]
    for name, value in zip(cells[1::2], cells[2::2], strict=False):
        if name:
            block.put(name, parse_number(value))
    return True


def _dict_lines(block: _Block, line: str) -> bool:
    """A dict printed over several lines; True when it is complete."""
    text = line.strip()
    if not block.text and not text.startswith("{"):
        if text:
            block.foreign = _PATIENCE  # nothing but the dict may follow its header
        return False
    if len(block.text) + len(text) > _MAX_DICT_LENGTH:
        block.foreign = _PATIENCE
        return False
    block.text += text + "\n"
    block.foreign = 0
    if "}" not in text:
        return False
    literal = parse_literal(block.text)
    if literal is None or not isinstance(literal[0], dict):
        return False
    for name, value in literal[0].items():
        block.put(name, as_number(value))
    if any(name.startswith(("trainer/", "generate/", "policy/")) for name in block.row):
        block.framework = "skyrl"
    return True


def sniff(path: Path, head: bytes) -> int:
    """Announced steps with metrics."""
    if is_json(head):
        return 0
    rows = rows_at_start(path, head, RlConsoleParser, _MARK, enough=2)
    return (0, 60, 85)[rows]


READER = console_reader(
    RlConsoleParser,
    "console log of OpenRLHF, slime, SkyRL, prime-rl, torchtune, NeMo-RL, torchforge, AReaL, rsl_rl",
    sniff,
    at_most=85,
)
