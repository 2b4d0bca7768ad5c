"""Lists of numbers in a text, as people print them at the end: `train_losses: [0.9, 0.5, ...]`.

Arrays that NumPy prints, with blanks between the numbers and over several lines, are read as well, and
so is a bare list without a name, as `str(rewards)` or `",".join(...)` leaves it, in a file called so.
"""

import re
from pathlib import Path

import numpy as np

from runvitals.model import FloatArray, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.raw.source import DAMAGED, open_binary, uncompressed_name
from runvitals.readers.rows.evidence import is_training_file, is_training_name, measured_in
from runvitals.readers.tabular._blocks import is_binary, utf8
from runvitals.readers.tabular._json_documents import document_of_lists
from runvitals.readers.tabular.json_history import logs_of_document

ID = "text-lists"

MAX_BYTES = 64 * 2**20
_ENDINGS = (".txt", ".log", ".out", ".dat", ".csv", ".list")
_MIN_VALUES = 8  # judgement, as of tables without names
_MAX_LISTS = 200
_NAMED = re.compile(
    r"^[ \t]{0,8}(?P<name>[^\W\d_][\w /()-]{0,60}?)[ \t]{0,4}[:=][ \t]{0,4}"
    r"(?:np\.|numpy\.)?(?:array\()?\[",
    re.MULTILINE,
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|-?inf")
_LEFT_OUT = re.compile(r"[\s,;\]\[)(]+")
_CUT = ". . .", "...", "…"


def sniff(path: Path, head: bytes) -> int:
    """Long lists under names of a training, or one in a file that is called so."""
    name = uncompressed_name(path)
    if is_binary(head) or ("." in name and not name.endswith(_ENDINGS)):
        return 0
    if b"[" not in head and b"\n" in head.strip():
        return 0
    found = _lists(utf8(head).decode("utf-8", "replace"), path.stem, cut=len(head) >= 60_000)
    return 20 if any(is_training_name(one) or one == measured_in(path.stem) for one in found) else 0


def _lists(
    text: str, stem: str, *, cut: bool = False, warnings: list[str] | None = None
) -> dict[str, FloatArray]:
    """The lists of a text by name; one without a name is what its file is called."""
    found: dict[str, FloatArray] = {}
    end = 0
    for match in _NAMED.finditer(text):
        if len(found) >= _MAX_LISTS:
            break
        # else it closes this one too: brackets that stay open share their end
        if end < match.end():
            end = text.find("]", match.end())
        values = _numbers(text, match.end(), end, cut=cut)
        if values is not None:
            found.setdefault(match["name"].strip(), values)
        elif end < 0:
            break
    plain = text.strip()
    if not found and is_training_file(stem, surely=True):
        values = _bare(plain, cut=cut)
        if values is None and not cut:
            values = _bare(plain, cut=True)
            if values is not None and warnings is not None:
                warnings.append("the last value is not a number and was left out")
        if values is not None:
            found[measured_in(stem) or stem] = values
    return found


def _bare(text: str, *, cut: bool) -> FloatArray | None:
    """The numbers of a text that is a list in brackets, or one line of numbers, and nothing else."""
    if text[:1] in ("[", "("):
        return _numbers(text, 1, text.find("]" if text[0] == "[" else ")"), cut=cut)
    return None if "\n" in text else _numbers(text, 0, -1 if cut else len(text), cut=cut)


def _numbers(text: str, begin: int, end: int, *, cut: bool) -> FloatArray | None:
    """The numbers up to the bracket at `end` (-1: none); None when the list holds anything else."""
    if end < 0:
        if not cut:
            return None
        end = max(text.rfind(mark, begin) for mark in ", \n")
    if text.find("[", begin, end) >= 0:
        return None  # a list of lists
    inner = text[begin:end]
    if any(mark in inner for mark in _CUT):
        return None  # NumPy left numbers out
    cells = [cell for cell in _LEFT_OUT.split(inner) if cell]
    values = [parse_number(cell) for cell in cells if _NUMBER.fullmatch(cell)]
    if len(values) < max(_MIN_VALUES, len(cells)):
        return None
    return np.array(values, np.float64)


def read(path: Path) -> list[Log]:
    """The lists as series of one run."""
    try:
        with open_binary(path) as file:
            text = file.read(MAX_BYTES + 1)
    except DAMAGED as error:
        raise ReadError(path, str(error)) from error
    if len(text) > MAX_BYTES:
        raise ReadError(path, f"a text of more than {MAX_BYTES >> 20} MiB", hint="save it as CSV")
    warnings: list[str] = []
    found = _lists(utf8(text).decode("utf-8", "replace"), path.stem, warnings=warnings)
    if not found:
        raise ReadError(path, "no lists of numbers in it")
    logs = logs_of_document(path, document_of_lists(found), ID)
    logs[0].warnings[:0] = warnings
    return logs


READER = Reader(ID, "text with lists of numbers under names", sniff, read, at_most=20)
