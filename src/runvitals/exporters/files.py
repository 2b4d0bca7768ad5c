"""A recorded run as one JSON Lines or Parquet file; what else it holds as files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.exporters._append import replacing
from runvitals.model import Event, Media, RowBlock, Sample, Text

ROW_GROUP = 1_000_000
OWN_KEYS = ("step", "time", "rank")


def export_jsonl(blocks: Iterable[RowBlock], path: str | os.PathLike[str]) -> Path:
    """One object per row: `{"step": 1, "time": 1.7e9, "rank": 0, "loss": 0.5}`.

    JSON has no NaN, so it and the infinities are the strings "NaN", "Infinity" and "-Infinity".
    An unknown time is null. A metric called `step`, `time` or `rank` has the key `step_`, ...
    """
    import orjson

    from runvitals.exporters._table import column_names

    with replacing(path) as file:
        for block in blocks:
            if not block.names:
                continue
            keys = list(column_names(block.names, OWN_KEYS).values())
            finite: list[bool] = np.all(np.isfinite(block.values), axis=1).tolist()
            times = [None if np.isnan(at) else at for at in block.times.tolist()]
            for i, step in enumerate(block.steps.tolist()):
                values: list[Any] = block.values[i].tolist()
                if not finite[i]:
                    values = [_spelled(value) for value in values]
                row = {"step": step, "time": times[i], "rank": block.rank}
                row.update(zip(keys, values, strict=True))
                file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    return Path(path)


def export_parquet(blocks: Iterable[RowBlock], path: str | os.PathLike[str]) -> Path:
    """The long form, one line per value: metric, step, time, value, rank.

    What `SELECT step, value FROM 'run.parquet' WHERE metric = 'loss'` wants.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    metric = pa.dictionary(pa.int32(), pa.string())
    kinds = (metric, pa.int64(), pa.float64(), pa.float64(), pa.int32())
    schema = pa.schema(zip(("metric", "step", "time", "value", "rank"), kinds, strict=True))
    encodings = {"step": "DELTA_BINARY_PACKED", "time": "BYTE_STREAM_SPLIT"}
    encodings["value"] = "BYTE_STREAM_SPLIT"
    with (
        replacing(path) as file,
        pq.ParquetWriter(
            file,
            schema,
            compression="zstd",
            write_page_checksum=True,
            use_dictionary=["metric", "rank"],
            column_encoding=encodings,
        ) as writer,
    ):
        waiting: list[Any] = []
        rows = 0
        for block in blocks:
            some = max(1, ROW_GROUP // max(1, len(block.names)))
            for start in range(0, len(block), some):
                columns = _long(block, slice(start, start + some))
                table = pa.Table.from_arrays(columns, schema=schema)
                waiting.append(table)
                rows += len(table)
                if rows >= ROW_GROUP:
                    writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
                    waiting, rows = [], 0
        if waiting:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
    return Path(path)


def export_media(events: Iterable[Event], folder: str | os.PathLike[str]) -> int:
    """Images, sounds, videos and tables as `<name>/<step>.<ending>`, samples as `samples.jsonl`.

    Returns the number of files. Raises `OSError` or `ValueError` for one that is lost or damaged.
    """
    import orjson

    top = Path(folder)
    taken: set[Path] = set()
    samples: list[bytes] = []
    for event in events:
        if isinstance(event, Sample):
            line = {"step": event.step, "time": event.time, **event.fields}
            samples.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            continue
        if isinstance(event, Media):
            ending, content = event.file.rpartition(".")[2], event.read()
        elif isinstance(event, Text) and event.is_table:
            ending, content = "md", event.text.encode()
        else:
            continue
        stem = top / re.sub(r"[^\w.=+-]+|^\.+", "_", event.name)[:80] / f"{event.step}"
        path, count = Path(f"{stem}.{ending}"), 1
        while path in taken:
            path, count = Path(f"{stem}-{count}.{ending}"), count + 1
        taken.add(path)
        with replacing(path) as file:
            file.write(content)
    if samples:
        with replacing(top / "samples.jsonl") as file:
            file.writelines(samples)
    return len(taken) + bool(samples)


def _long(block: RowBlock, part: slice) -> list[Any]:
    import pyarrow as pa

    steps, times, values = block.steps[part], block.times[part], block.values[part]
    n, k = len(steps), len(block.names)
    names = pa.array([name.encode("utf-8", "replace").decode() for name in block.names])
    metric = pa.array(np.repeat(np.arange(k, dtype=np.int32), n))
    times = np.tile(times, k)
    return [
        pa.DictionaryArray.from_arrays(metric, names.cast(pa.string())),
        pa.array(np.tile(steps, k)),
        pa.array(times, mask=np.isnan(times)),
        pa.array(np.ascontiguousarray(values.T).reshape(-1)),
        pa.array(np.full(n * k, block.rank, dtype=np.int32)),
    ]


def _spelled(value: float) -> float | str:
    """What JSON can say.

    >>> [_spelled(float(v)) for v in ("1.5", "nan", "inf", "-inf")]
    [1.5, 'NaN', 'Infinity', '-Infinity']
    """
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value
