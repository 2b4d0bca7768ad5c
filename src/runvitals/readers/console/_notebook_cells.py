"""What a Jupyter notebook file holds: code cells with their outputs, without its pictures.

Pictures are left out while the file is read, so that a notebook of a gigabyte of plots costs no more
memory than its text. Nothing is ever executed: settings are read from the syntax tree of the code.
"""

import ast
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

MAX_TEXT = 64 * 2**20  # bytes of a notebook without its pictures
_PIECE = 2**16
_HEAVY = re.compile(rb'\s*"(?:image/|video/|audio/|application/(?!json))[^"]{1,80}"\s*:')
_MAGIC = re.compile(r"^(\s*)[!%?].*$", re.MULTILINE)
_TRAINER_ARGUMENTS = re.compile(r"\w*TrainingArguments|(?:[A-Z]{2,}\w*|Reward|Online\w+)Config")
_LEARNERS = frozenset("PPO A2C DQN SAC TD3 DDPG TRPO QRDQN RecurrentPPO MaskablePPO".split())
_LEARN = frozenset({"learn", "fit"})
_ALGORITHM = re.compile(
    r"(?:Online)?(GRPO|DPO|KTO|ORPO|CPO|PPO|PPOv2|RLOO|SFT|Reward|PRM|XPO|BCO)(?:Config|Trainer)"
)
_MAX_CODE_LENGTH = 2**18
_MAX_SETTINGS = 500


@dataclass
class Output:
    """One output of a cell: text, a table as HTML, or the error that ended it."""

    text: str = ""
    html: str = ""
    error: str = ""
    stream: str = ""  # stdout or stderr
    result: bool = False  # the value of the cell's last expression


@dataclass
class Cell:
    """A code cell that was run: its number in the notebook, what it sets, what came out."""

    number: int
    outputs: list[Output]
    settings: dict[str, Any] = field(default_factory=dict)
    algorithm: str | None = None
    trainer: str = ""  # the class of the trainer that it makes


def load(path: Path) -> dict[str, Any] | None:
    """The notebook without its pictures; None when it is none, or holds too much text."""
    pieces: list[bytes] = []
    size = 0
    skipping = False
    with open(path, "rb") as file:
        fresh = True  # at the beginning of a line
        while piece := file.readline(_PIECE):
            ends = piece.endswith(b"\n")
            if skipping:
                if ends:
                    pieces.append(b'"",\n' if piece.rstrip().endswith(b",") else b'""\n')
                    skipping = False
            elif fresh and not ends and (key := _HEAVY.match(piece)):
                pieces.append(key[0])
                skipping = True
            else:
                pieces.append(piece)
                size += len(piece)
                if size > MAX_TEXT:
                    return None
            fresh = ends
    try:
        notebook = orjson.loads(b"".join(pieces))
    except orjson.JSONDecodeError:
        return None
    return notebook if isinstance(notebook, dict) else None


def cells(notebook: dict[str, Any]) -> Iterator[Cell]:
    """The code cells, in order; those of the old format too."""
    found: Any = notebook.get("cells")
    if not isinstance(found, list):
        sheets = notebook.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        found = [c for s in sheets if isinstance(s, dict) for c in _list(s.get("cells"))]
    for number, cell in enumerate(found, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        outputs = [_output(o) for o in _list(cell.get("outputs")) if isinstance(o, dict)]
        one = Cell(number, outputs)
        _read_code(one, _text(cell.get("source", cell.get("input"))))
        yield one


def _output(raw: dict[str, Any]) -> Output:
    kind = raw.get("output_type")
    if kind == "stream":
        return Output(text=_text(raw.get("text")), stream=str(raw.get("name") or raw.get("stream")))
    if kind in ("error", "pyerr"):
        name, value = str(raw.get("ename", "")), str(raw.get("evalue", ""))
        return Output(error=f"{name}: {value}" if value else name)
    data = raw.get("data")
    data = data if isinstance(data, dict) else raw
    markup = _text(data.get("text/html", data.get("html")))
    plain = _text(data.get("text/plain", data.get("text")))
    if markup.startswith("<pre>") and "<table" not in markup:  # how Colab keeps text
        plain, markup = html.unescape(markup[5:].removesuffix("</pre>")), ""
    return Output(
        text="" if markup else plain, html=markup, result=kind in ("execute_result", "pyout")
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


# Code ---------------------------------------------------------------------------------------------


def _read_code(cell: Cell, source: str) -> None:
    """Settings among the keywords of calls that set a training up; literals only."""
    if len(source) > _MAX_CODE_LENGTH or "(" not in source:
        return
    try:
        tree = ast.parse(_MAGIC.sub(r"\1pass", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node.func)
        if found := _ALGORITHM.fullmatch(name):
            cell.algorithm = {"PPOv2": "PPO", "Reward": "RM"}.get(found[1], found[1])
        if name.endswith("Trainer"):
            cell.trainer = name
        if _TRAINER_ARGUMENTS.fullmatch(name) or name in _LEARNERS or name in _LEARN:
            cell.settings.update(_literals(node.keywords))


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _literals(keywords: Iterable[ast.keyword]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.arg is None or len(found) >= _MAX_SETTINGS:
            continue
        try:
            value = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, (bool, int, float, str)):
            found[keyword.arg] = value[:2000] if isinstance(value, str) else value
        elif isinstance(value, dict) and len(value) <= _MAX_SETTINGS:
            found.update(
                {
                    f"{keyword.arg}.{key}": inner
                    for key, inner in value.items()
                    if isinstance(inner, (bool, int, float, str))
                }
            )
    return found


# Tables -------------------------------------------------------------------------------------------

_TABLE = re.compile(r"<table[^>]{0,400}>(.*?)(?=<table|</table>|\Z)", re.DOTALL)
_ROW = re.compile(r"<tr[^>]{0,400}>(.*?)(?=<tr|</tr>|\Z)", re.DOTALL)
_CELL = re.compile(r"<t([hd])[^>]{0,400}>([^<]*(?:<(?!/?t[hdr])[^<]*)*)")
_TAG = re.compile(r"<[^<>]{0,400}>")
_PROGRESS = re.compile(
    r"\[\s*(?P<done>\d{1,12})/(?P<total>\d{1,12}) [^\]]{0,120}?"
    r"(?:Epoch\s[\d.]{1,20}/(?P<epochs>\d{1,9}))?\]"
)
_SIZE = re.compile(r"<p>\s*(\d{1,12}) rows")
_MAX_TABLE_LENGTH = 16 * 2**20


@dataclass
class HtmlTable:
    """A table as the notebook shows it: names over the columns, and rows of texts."""

    names: list[str]
    rows: list[list[str]]
    index: bool = False  # the first column is pandas' row number
    progress: re.Match[str] | None = None  # where the Trainer's bar stood
    whole: int | None = None  # rows that the table has, if it says so


def tables(markup: str) -> Iterator[HtmlTable]:
    """The tables in an output, those with names over their columns."""
    if len(markup) > _MAX_TABLE_LENGTH:
        return
    size = _SIZE.search(markup)
    for found in _TABLE.finditer(markup):
        rows = [_CELL.findall(row[1]) for row in _ROW.finditer(found[1])]
        head = next((row for row in rows if row and all(kind == "h" for kind, _ in row)), None)
        if head is None:
            continue
        names = [_plain(text) for _, text in head]
        index = names[:1] == [""]
        body = [[_plain(text) for _, text in row] for row in rows if any(k == "d" for k, _ in row)]
        yield HtmlTable(
            names,
            [row for row in body if len(row) == len(names)],
            index,
            _PROGRESS.search(markup) if "<progress" in markup else None,
            int(size[1]) if size else None,
        )


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text)).strip()
