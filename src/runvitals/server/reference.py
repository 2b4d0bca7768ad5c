"""The API in words, from its OpenAPI document: endpoints with examples, series in binary, records."""

import struct
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import orjson

from runvitals.view.points.axis_series import AxisSeries
from runvitals.view.points.buckets import MAX_ODD, RAW_SHARE, thinned
from runvitals.view.points.wire import MAGIC, encode

Doc = Mapping[str, Any]
HERE = "http://127.0.0.1:6060"
HEAD = """# The dashboard's API

`runvitals serve` answers these requests; its own page has nothing else. All of them are `GET` (or
`HEAD`): the server only reads. `/api/docs` is this page, `/api/openapi.json` has the same for
machines.

- A run is named by the `id` that `/api/runs` gives it; it stays the same for its path.
- Steps are whole numbers, times are Unix seconds. A number that is NaN or infinite is `null`.
- Every answer has an `ETag`: sent back as `If-None-Match`, it saves what is known already (304).
- Long answers come as `br` or `gzip`, whichever `Accept-Encoding` allows.
- With a token: `Authorization: Bearer TOKEN`, or `?token=TOKEN`. Without it the answer is 401.
- What goes wrong is `{"detail": "..."}`: 404 for what is not there, 422 for a malformed
  parameter, 403 for another site's page or host name, 405 for any other method, 503 if too many pages
  listen.
- Characters in names and texts that nobody would see, such as those that turn text around, are
  written as codes (`\\u202e`); a request may name a thing by what it was told.
"""


def reference(document: Doc) -> str:
    """The whole page as Markdown."""
    schemas = document["components"]["schemas"]
    parts = [HEAD, "## Endpoints\n", *_overview(document)]
    for path, operation in _operations(document):
        parts += ["", *_endpoint(path, operation)]
    parts += ["", binary_in_words(), "", "## Records\n"]
    for name in sorted(schemas):
        if name not in ("HTTPValidationError", "ValidationError"):
            parts += [*_record(name, schemas[name]), ""]
    return "\n".join(parts).rstrip() + "\n"


def _operations(document: Doc) -> Iterator[tuple[str, Doc]]:
    for path, methods in document["paths"].items():
        yield path, methods["get"]


def _overview(document: Doc) -> Iterator[str]:
    yield "| endpoint | what it gives |"
    yield "|---|---|"
    for path, operation in _operations(document):
        yield f"| [{path}](#{anchor_of(path)}) | {_cell(_sentence(operation))} |"


def _endpoint(path: str, operation: Doc) -> Iterator[str]:
    yield f"### {path}"
    yield ""
    yield operation.get("description", "")
    yield ""
    parameters = operation.get("parameters", [])
    if parameters:
        yield "| parameter | type | default | meaning |"
        yield "|---|---|---|---|"
        for one in parameters:
            default = "required" if one.get("required") else _default(one["schema"])
            meaning = _cell(one.get("description", ""))
            yield f"| `{one['name']}` | {_type(one['schema'])} | {default} | {meaning} |"
        yield ""
    yield f"    {_curl(path, parameters)}"
    yield ""
    yield f"Answers {_answer(operation)}."


def _curl(path: str, parameters: list[Doc]) -> str:
    query: list[tuple[str, str]] = []
    for one in parameters:
        examples = one["schema"].get("examples")
        if not examples:
            continue
        values = examples[0] if isinstance(examples[0], list) else [examples[0]]
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", quote(str(values[0])))
        else:
            query += [(one["name"], str(value)) for value in values]
    address = f"{HERE}{path}" + (f"?{urlencode(query, safe='/,')}" if query else "")
    options = " -o series.rvs" if path.endswith("/series") and "compare" not in path else ""
    stream = " -N" if path.endswith("api/events") else ""
    return f"curl -s{stream} '{address}'{options}"


def _answer(operation: Doc) -> str:
    for kind, content in operation["responses"]["200"]["content"].items():
        if kind == "application/octet-stream":
            return "bytes: [series in binary](#series-in-binary)"
        if kind == "image/png":
            return "the file as it was logged"
        if kind == "text/event-stream":
            return "server-sent events, each a [LiveEvent](#liveevent)"
        if "$ref" in content.get("schema", {}):
            return _type(content["schema"])
    raise AssertionError(f"an answer that is not described: {operation['operationId']}")


def _record(name: str, schema: Doc) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield schema.get("description", "")
    yield ""
    yield "| field | type |"
    yield "|---|---|"
    for field, described in schema["properties"].items():
        yield f"| `{field}` | {_type(described)} |"


def _type(schema: Doc) -> str:
    """A type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and "additionalProperties" in schema:
        inner = schema["additionalProperties"]
        return f"object of {_type(inner)}" if isinstance(inner, dict) and inner else "object"
    words = {"integer": "whole number", "string": "text", "boolean": "true or false"}
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    kind = str(schema.get("type", "anything"))
    plain = words.get(kind, kind)
    return " ".join([plain, *limits]) if all(len(limit) < 15 for limit in limits) else plain


_LIMITS = {"minimum": "from", "maximum": "to"}


def _default(schema: Doc) -> str:
    value = schema.get("default")
    return "" if value in (None, [], "") else f"`{value}`"


def _sentence(operation: Doc) -> str:
    return str(operation.get("description", "")).partition(". ")[0].rstrip(".")


def anchor_of(heading: str) -> str:
    """What a link to a heading ends with, as GitHub makes it."""
    kept = (letter for letter in heading.lower() if letter.isalnum() or letter in "-_ ")
    return "".join(kept).replace(" ", "-")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


BINARY = f"""## Series in binary

A million points need no JSON. All numbers are little-endian; n is the length of the header.

| bytes | what |
|---|---|
| 0 to 3 | `{MAGIC.decode()}` |
| 4 to 7 | n, as uint32 |
| 8 to 7 + n | a [SeriesAnswer](#seriesanswer) as JSON, then spaces to a multiple of 8 |
| from 8 + n | the arrays, each followed by zeros to a multiple of 8 |

Each series lists its arrays: `key`, `dtype` (`float64` or `float32`), `offset` in bytes from the
end of the header, and `length` in numbers. Several series may share one array, as those that were
logged together share x.

- `raw` is true where a series has at most {RAW_SHARE} points for each bucket: then `x` and `value`
  are the points themselves. Else each bucket has `x` (its middle), `low`, `high`, `mean`,
  `first` and `last`: no spike is ever lost.
- A value that is NaN or infinite is NaN in `value`; `nonfinite` has the x of the first {MAX_ODD}.
  A bucket without a finite value has NaN throughout.
- `x_min` and `x_max` are the ends of the whole series; `count` points lie in the range that was
  asked for, with one more on each side where there is one.
- `x` is always float64. The values are float32, unless they are too large, too small or too close
  together for that.

Two points, 0.5 at step 10 and 0.25 at step 20, under the name `loss`:

{{dump}}

Read in Python:

```python
import json
import struct

import numpy as np


def decode(body: bytes) -> dict[str, dict[str, np.ndarray]]:
    assert body[:4] == b"{MAGIC.decode()}"
    (length,) = struct.unpack("<I", body[4:8])
    series = json.loads(body[8 : 8 + length])["series"]
    return {{{{
        one["name"]: {{{{
            array["key"]: np.frombuffer(
                body,
                np.dtype(array["dtype"]).newbyteorder("<"),
                array["length"],
                8 + length + array["offset"],
            )
            for array in one["arrays"]
        }}}}
        for one in series
    }}}}
```
"""


def example() -> bytes:
    """A small answer."""
    series = AxisSeries(np.array([10.0, 20.0]), np.array([0.5, 0.25]), np.empty(0, np.int64), None)
    return encode([("loss", thinned(series, None, None, 600))])


def binary_in_words() -> str:
    """The format in Markdown."""
    lines = ["| bytes | hex | meaning |", "|---|---|---|", *_dump(example())]
    return BINARY.format(dump="\n".join(lines)).rstrip()


def _dump(body: bytes) -> Iterator[str]:
    (length,) = struct.unpack("<I", body[4:8])
    header = body[8 : 8 + length]
    yield _bytes_row(0, body[:4], f"`{MAGIC.decode()}`")
    yield _bytes_row(4, body[4:8], f"the header has {length} bytes")
    spaces = len(header) - len(header.rstrip())
    shown = header.rstrip().decode().replace("|", "\\|")
    padding = f"and {spaces} spaces" if spaces else ""
    yield f"| 8 to {7 + length} | `7b 22 ...` | `{shown}` {padding} |".replace("  |", " |")
    for array in orjson.loads(header)["series"][0]["arrays"]:
        size = array["length"] * np.dtype(array["dtype"]).itemsize
        start = 8 + length + array["offset"]
        values = np.frombuffer(
            body, np.dtype(array["dtype"]).newbyteorder("<"), array["length"], start
        )
        yield _bytes_row(start, body[start : start + size], f"{array['key']}: {values.tolist()}")


def _bytes_row(start: int, data: bytes, meaning: str) -> str:
    return f"| {start} to {start + len(data) - 1} | `{data.hex(' ')}` | {meaning} |"
