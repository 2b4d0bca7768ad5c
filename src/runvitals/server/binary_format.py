"""The binary answer for series, byte by byte, with an answer that was really made."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import orjson

from runvitals.view.points.axis_series import AxisSeries
from runvitals.view.points.buckets import MAX_ODD, RAW_SHARE, thinned
from runvitals.view.points.wire import MAGIC, encode

TEXT = f"""## Series in binary

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


def in_words() -> str:
    """The format in Markdown."""
    lines = ["| bytes | hex | meaning |", "|---|---|---|", *_dump(example())]
    return TEXT.format(dump="\n".join(lines)).rstrip()


def _dump(body: bytes) -> Iterator[str]:
    (length,) = struct.unpack("<I", body[4:8])
    header = body[8 : 8 + length]
    yield _row(0, body[:4], f"`{MAGIC.decode()}`")
    yield _row(4, body[4:8], f"the header has {length} bytes")
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
        yield _row(start, body[start : start + size], f"{array['key']}: {values.tolist()}")


def _row(start: int, data: bytes, meaning: str) -> str:
    return f"| {start} to {start + len(data) - 1} | `{data.hex(' ')}` | {meaning} |"
