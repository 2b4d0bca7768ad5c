"""The part of YAML that training tools write: nested mappings and lists, scalars, flow and block text.

It builds plain values only. Tags (`!!python/...`) are passed over, never acted upon; aliases give the
value they name; lines that make no sense are left out. Size, depth and number of nodes are bounded.
"""

from __future__ import annotations

import re
from typing import Any

from runvitals.readers.numbers import parse_number

LARGEST_TEXT = 4 * 2**20  # characters
MOST_NODES = 200_000
DEEPEST = 40

_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?[0-9][0-9_]{0,300}")
_HEXADECIMAL = re.compile(r"[-+]?0x[0-9a-fA-F]{1,64}")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)")
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_PROPERTY = re.compile(r"[!&]\S*(?:\s+|$)")
_BLOCK_TEXT = re.compile(r"([|>])([-+0-9]{0,2})\s*(?:#.*)?$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b"}
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|\n\s*|(.))", re.DOTALL
)


def parse_simple_yaml(text: str) -> dict[str, Any]:
    """The mapping that a YAML text holds; empty when it holds none.

    Raises ValueError when the text is beyond the bounds.

    >>> parse_simple_yaml("ppo:\\n  lr: 3e-4\\n  layers: [64, 64]\\n  tags:\\n  - a\\n  - 'b: c'")
    {'ppo': {'lr': 0.0003, 'layers': [64, 64], 'tags': ['a', 'b: c']}}
    """
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"longer than {LARGEST_TEXT >> 20} MiB")
    found = _Parser(text).document()
    return found if isinstance(found, dict) else {}


def parse_scalar(text: str) -> Any:
    """A plain scalar: a number, a truth value, None or the text itself.

    >>> [parse_scalar(t) for t in ("1e-5", "12", "True", "null", "1.5.2", ".inf")]
    [1e-05, 12, True, None, '1.5.2', inf]
    """
    if len(text) <= 5 and text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if text[0] in "+-.0123456789":
        if _INTEGER.fullmatch(text):
            return int(text.replace("_", ""))
        if _HEXADECIMAL.fullmatch(text):
            return int(text, 16)
        if _SPECIAL.fullmatch(text):
            return parse_number(text.replace(".", ""))
        if len(text) < 64 and _FLOAT.fullmatch(text):
            number = parse_number(text.replace("_", ""))
            return text if number is None else number
    return text


class _Parser:
    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._lines = text.split("\n")
        self._at = 0
        self._nodes = 0
        self._sizes: dict[str, int] = {}
        self._anchors: dict[str, Any] = {}

    def document(self) -> Any:
        line = self._peek()
        while line is not None and (line[1].startswith("%") or line[1].split(" ")[0] == "---"):
            rest = line[1].removeprefix("---").strip() if line[1].startswith("---") else ""
            if rest and rest[0] not in "!&#%":
                return self._value(rest, -1, 0)
            self._at += 1
            line = self._peek()
        return None if line is None else self._node(line[0], 0)

    def _peek(self) -> tuple[int, str] | None:
        """Indent and content of the next line that says something."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.strip()
            if content and content[0] != "#":
                if content == "..." or (content == "---" and self._nodes):
                    return None
                return len(line) - len(line.lstrip()), content
            self._at += 1
        return None

    def _count(self, nodes: int, depth: int) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise ValueError("too many or too deeply nested values")

    def _node(self, indent: int, depth: int) -> Any:
        self._count(1, depth)
        line = self._peek()
        if line is None:
            return None
        content = line[1]
        if content == "-" or content.startswith("- "):
            return self._sequence(indent, depth)
        if content.startswith("? ") or self._key(content) is not None:
            return self._mapping(indent, depth)
        return self._value(content, indent - 1, depth)

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while (line := self._peek()) is not None and line[0] == indent:
            content = line[1]
            if content != "-" and not content.startswith("- "):
                break
            rest = content[1:].lstrip()
            if not rest or rest[0] == "#":
                found.append(self._below(indent, depth, same=False))
            elif rest == "-" or rest.startswith("- ") or self._key(rest) is not None:
                raw = self._lines[self._at]
                self._lines[self._at] = f"{' ' * (indent + 1)}{raw[indent + 1 :]}"
                found.append(self._node(indent + len(content) - len(rest), depth + 1))
            else:
                found.append(self._value(rest, indent, depth + 1))
        return found

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._peek()) is not None and line[0] >= indent:
            if line[0] > indent:  # belongs to nothing that was understood
                self._at += 1
                continue
            content = line[1]
            if content.startswith("? "):
                key, rest = self._long_key(content, indent)
            else:
                parts = self._key(content)
                if parts is None:
                    if content == "-" or content.startswith("- "):
                        break
                    self._at += 1
                    continue
                key, rest = parts
            value = self._value(rest, indent, depth + 1)
            if key == "<<" and isinstance(value, dict):
                self._count(len(value), depth)
                found = {**value, **found}
            else:
                found[key] = value
        return found

    def _long_key(self, content: str, indent: int) -> tuple[str, str]:
        """`? key` on one line and `: value` on the next."""
        key = str(self._value(content[2:].strip(), indent, 0))
        line = self._peek()
        if line is not None and line[0] == indent and line[1].startswith(":"):
            return key, line[1][1:].strip()
        self._lines.insert(self._at, f"{' ' * indent}:")
        return key, ""

    @staticmethod
    def _key(content: str) -> tuple[str, str] | None:
        """Key and the rest of a `key: rest` line."""
        if content[0] in "'\"":
            quoted = _QUOTED.match(content)
            if quoted is None or not re.match(r"\s*:(?:\s|$)", content[quoted.end() :]):
                return None
            rest = content[quoted.end() :].lstrip()[1:]
            return str(_unquoted(quoted[0])), rest.strip()
        place = content.find(": ") if not content.endswith(":") else len(content) - 1
        if ": " in content:
            place = content.find(": ")
        if place < 1 or content[0] in "[]{},#&*!|>%@`":
            return None
        key = content[:place].rstrip()
        if " #" in key:
            return None
        return key, content[place + 1 :].strip()

    def _value(self, rest: str, indent: int, depth: int) -> Any:
        """What stands behind a key or a dash on the current line, and below it."""
        self._count(1, depth)
        anchor = ""
        while (match := _PROPERTY.match(rest)) is not None:
            if rest[0] == "&":
                anchor = match[0][1:].strip()
            rest = rest[match.end() :]
        before = self._nodes
        value = self._bare_value(rest, indent, depth)
        if anchor:
            self._anchors[anchor] = value
            self._sizes[anchor] = self._nodes - before + 1
        return value

    def _bare_value(self, rest: str, indent: int, depth: int) -> Any:
        if not rest or rest[0] == "#":
            return self._below(indent, depth, same=True)
        if rest[0] == "*":
            self._at += 1
            name = rest[1:].split(" ")[0]
            self._count(self._sizes.get(name, 1), depth)
            return self._anchors.get(name)
        if rest[0] in "|>" and (block := _BLOCK_TEXT.match(rest)) is not None:
            self._at += 1
            return self._block_text(block[1], block[2], indent)
        if rest[0] in "[{":
            return self._flow(rest, depth)
        if rest[0] in "'\"":
            return self._quoted(rest)
        return self._plain(rest, indent)

    def _below(self, indent: int, depth: int, *, same: bool) -> Any:
        """The node on the following lines; a list may stand at the indent of its key (`same`)."""
        self._at += 1
        line = self._peek()
        if line is None:
            return None
        is_list = line[1] == "-" or line[1].startswith("- ")
        if line[0] > indent or (same and is_list and line[0] == indent):
            return self._node(line[0], depth + 1)
        return None

    def _block_text(self, style: str, marks: str, indent: int) -> str:
        taken: list[str] = []
        width: int | None = None
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip():
                margin = len(line) - len(line.lstrip())
                if margin <= indent:
                    break
                width = margin if width is None else width
            taken.append(line[min(width or 0, len(line) - len(line.lstrip())) :])
            self._at += 1
        while taken and not taken[-1].strip():
            taken.pop()
        text = "\n".join(taken) if style == "|" else " ".join(part.strip() for part in taken)
        return text if "-" in marks or not text else f"{text}\n"

    def _quoted(self, rest: str) -> Any:
        quoted = _QUOTED.match(rest)
        self._at += 1
        parts = [rest]
        length = len(rest)
        while quoted is None and self._at < len(self._lines) and length < 2**16:
            parts.append(self._lines[self._at].strip())
            length += len(parts[-1])
            self._at += 1
            if rest[0] in parts[-1]:
                quoted = _QUOTED.match("\n".join(parts))
        return _unquoted(quoted[0] if quoted is not None else rest)

    def _plain(self, rest: str, indent: int) -> Any:
        self._at += 1
        parts = [_without_comment(rest)]
        while self._at < len(self._lines):  # a long text goes on below, further in
            line = self._lines[self._at]
            content = line.strip()
            if not content or content[0] == "#" or len(line) - len(line.lstrip()) <= indent:
                break
            if self._key(content) is not None or content.startswith("- ") or content == "...":
                break
            parts.append(_without_comment(content))
            self._at += 1
        return parse_scalar(parts[0]) if len(parts) == 1 else " ".join(parts)

    def _flow(self, rest: str, depth: int) -> Any:
        """`[a, {b: c}]`, on one line or several."""
        self._at += 1
        tokens: list[str] = []
        open_brackets = 0
        while True:
            found, left = _flow_tokens(rest)
            for token in found:
                tokens.append(token)
                open_brackets += (token in ("[", "{")) - (token in ("]", "}"))
                self._count(1, depth + max(open_brackets, 0))
                if not open_brackets:
                    return _FlowParser(tokens).value()
            if self._at >= len(self._lines) or len(left) > 2**16:
                return _FlowParser(tokens).value()
            line = self._lines[self._at].strip()
            rest = f"{left}\n{line}" if left else line
            self._at += 1


class _FlowParser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def _next(self) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else "]"
        self._at += 1
        return token

    def _see(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else "]"

    def value(self) -> Any:
        token = self._next()
        if token == "[":
            items = []
            while self._see() not in "]}":
                if self._see() in ",:":
                    self._at += 1
                    continue
                items.append(self.value())
            self._at += 1
            return items
        if token == "{":
            found: dict[str, Any] = {}
            while self._see() not in "]}":
                if self._see() in ",:":
                    self._at += 1
                    continue
                key = self.value()
                has_value = self._see() == ":"
                if has_value:
                    self._at += 1
                empty = not has_value or self._see() in ",}]"
                found[str(key)] = None if empty else self.value()
            self._at += 1
            return found
        return _unquoted(token) if token[0] in "'\"" else parse_scalar(token)


_FLOW_TOKEN = re.compile(
    r"""\s*(?:(\#.*)|('(?:[^']|'')*'|"(?:[^"\\]|\\[\s\S])*")|([\[\]{},])|(:)(?=\s|$|[\[\]{},])"""
    r"""|((?:[^\[\]{},:\s]|:(?![\s,\[\]{}]|$)|\s(?!\#))+))"""
)


def _flow_tokens(text: str) -> tuple[list[str], str]:
    """The tokens of a line, and a quoted text at its end that is not closed yet."""
    tokens: list[str] = []
    place = 0
    while place < len(text):
        match = _FLOW_TOKEN.match(text, place)
        if match is None or match.end() == place:
            place += 1
            continue
        if match[5] is not None and match[5].lstrip()[:1] in ("'", '"'):
            return tokens, text[match.start(5) :].lstrip()
        place = match.end()
        if match[1] is None:
            token = (match[2] or match[3] or match[4] or match[5] or "").strip()
            if token:
                tokens.append(token)
    return tokens, ""


def _without_comment(text: str) -> str:
    return text.partition(" #")[0].rstrip()


def _unquoted(text: str) -> Any:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return _folded(text[1:-1]).replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(_character, _folded(text[1:-1]))
    return text


def _folded(text: str) -> str:
    """A line end is a space, and each empty line between two lines is a line end."""
    return re.sub(r"(?<!\\)\n+", lambda ends: "\n" * (len(ends[0]) - 1) or " ", text)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _ESCAPES.get(match[4], match[4]) if match[4] else ""
