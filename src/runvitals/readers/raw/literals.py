"""Python and JSON literals as programs print them, read without evaluating anything.

Beyond what `ast.literal_eval` takes: bare `nan` and `inf`, JSON's `true` and `null`, and calls such as
`np.float64(0.5)`, `tensor(0.5, device='cuda:0')`, `PosixPath('x')`, `Namespace(lr=0.1)`, `<enum: 1>`.
One pass over the text, no recursion: a hostile line costs its length.
"""

import math
import re
from typing import Any

import orjson

DEEPEST = 24
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")
    | (?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
    | (?P<word>[-+]?[A-Za-z_][\w.]*)
    | (?P<odd><[^<>\n]{0,200}>)
    | (?P<mark>[{}\[\]():,=])
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("None", "null")),
    **dict.fromkeys(("True", "true"), True),
    **dict.fromkeys(("False", "false"), False),
    **dict.fromkeys(("nan", "NaN", "-nan"), math.nan),
    **dict.fromkeys(("inf", "Infinity"), math.inf),
    **dict.fromkeys(("-inf", "-Infinity"), -math.inf),
}
_WRAPPERS = re.compile(r"(?:np|numpy|torch|jnp|jax\.numpy)\.\w+|tensor|array|Array|\w*Path|Decimal")
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MISSING = object()


class _Level:
    """An open bracket: what stands in it so far."""

    __slots__ = ("call", "items", "key", "named", "opener", "value")

    def __init__(self, opener: str, call: str = "") -> None:
        self.opener = opener
        self.call = call
        self.items: list[Any] = []
        self.named: dict[str, Any] = {}
        self.key: Any = _MISSING
        self.value: Any = _MISSING

    def end_item(self) -> bool:
        """Take the value before a comma or a closing bracket; False when the text is wrong."""
        value, key = self.value, self.key
        self.value = self.key = _MISSING
        if value is _MISSING:
            return key is _MISSING
        if key is not _MISSING:
            self.named[key if isinstance(key, str) else repr(key)[:200]] = value
        elif self.opener == "{" and self.named:
            return False
        else:
            self.items.append(value)
        return True

    def result(self) -> Any:
        if self.call:
            if _WRAPPERS.fullmatch(self.call) and self.items:
                first = self.items[0]
                while isinstance(first, list) and len(first) == 1:  # tensor([0.5])
                    first = first[0]
                return first
            return dict(self.named)
        if self.opener == "{":
            return dict(self.named)
        return list(self.items)


def parse_literal(text: str, start: int = 0) -> tuple[Any, int] | None:
    """The literal that begins at `start`, with the place after it; None when there is none.

    >>> parse_literal("{'loss': 0.5, 'kl': nan, 'lr': np.float64(1e-05)} rest")
    ({'loss': 0.5, 'kl': nan, 'lr': 1e-05}, 49)
    >>> parse_literal("Namespace(lr=0.1, layers=[64, 64])")[0]
    {'lr': 0.1, 'layers': [64, 64]}
    >>> parse_literal("{'loss': 0.5, ") is None
    True
    """
    levels: list[_Level] = []
    place = start
    call = ""  # a word that may turn out to be the name of a call
    while True:
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place = token.end()
        kind, found = token.lastgroup, token[token.lastgroup or 0]
        if kind == "mark" and found in "{[(":
            if not _open(levels, found, call):
                return None
            call = ""
            continue
        call = found if kind == "word" and found not in _WORDS else ""
        if kind != "mark":
            value = _scalar(kind, found)
        elif not levels or not _mark(levels[-1], found):
            return None
        elif found in ":=,":
            continue
        else:
            value = levels.pop().result()
        if not levels:
            if call and text[place : place + 1] == "(":
                continue
            return value, place
        if not _put(levels[-1], value):
            return None


def _open(levels: list[_Level], bracket: str, call: str) -> bool:
    """Begin a level at an opening bracket; False when none can begin here."""
    if len(levels) >= DEEPEST:
        return False
    if call:
        if bracket != "(":
            return False
        if levels:
            levels[-1].value = _MISSING  # it was the name of the call
    elif levels and levels[-1].value is not _MISSING:
        return False
    levels.append(_Level(bracket, call))
    return True


def _mark(level: _Level, mark: str) -> bool:
    """End a key, an item or a level; False when the mark cannot stand here."""
    if mark in ":=":
        if level.value is _MISSING or level.key is not _MISSING:
            return False
        level.key, level.value = level.value, _MISSING
        return True
    return level.end_item() and mark in (",", _CLOSING[level.opener])


def _put(level: _Level, value: Any) -> bool:
    """Set the value of a level; False when it has one."""
    if level.value is not _MISSING:
        if not (isinstance(level.value, str) and isinstance(value, str)):
            return False
        value = level.value + value  # adjacent texts, as pretty printers break them
    level.value = value
    return True


def _scalar(kind: str | None, found: str) -> Any:
    if kind == "text":
        inner = found[1:-1]
        return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner
    if kind == "number":
        return _number(found)
    return _WORDS.get(found, found) if kind == "word" else found


def parse_dict(text: str, start: int = 0) -> tuple[dict[str, Any], int] | None:
    """The dict that begins at `start`: as `parse_literal`, faster where it is plain.

    >>> parse_dict("{'loss': 0.5, 'epoch': '0.1'}")
    ({'loss': 0.5, 'epoch': '0.1'}, 29)
    """
    end = text.rfind("}") + 1
    inner = text[start:end]
    if "'" in inner and '"' not in inner and "\\" not in inner:
        try:
            return orjson.loads(inner.replace("'", '"')), end
        except orjson.JSONDecodeError:
            pass  # a nan, a None, a call, a second dict
    found = parse_literal(text, start)
    return found if found is not None and isinstance(found[0], dict) else None


def _number(found: str) -> float | int:
    digits = found.replace("_", "")
    if len(digits) < 19 and digits.lstrip("+-").isdigit():
        return int(digits)
    return float(digits)


def flatten(value: dict[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Nested settings as `outer.inner`; what is not a mapping is kept as it is.

    >>> flatten({"actor": {"lr": 0.1}, "seed": 1})
    {'actor.lr': 0.1, 'seed': 1}
    """
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, dict) and inner and depth < DEEPEST:
            flat.update(flatten(inner, f"{name}.", depth + 1))
        else:
            flat[name] = inner
    return flat
