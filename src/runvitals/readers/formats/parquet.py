"""Parquet tables with a step-like column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from runvitals.model import FloatArray, IntArray, ReadError
from runvitals.readers._tabular import confidence, constant_texts, logs_of
from runvitals.readers.log import Log
from runvitals.readers.numbers import parse_time
from runvitals.readers.table import (
    MOST_COLUMNS,
    MOST_NUMBERS,
    RowCollector,
    choose_step,
    is_step_name,
    is_time_name,
)

ID = "parquet"
TITLE = "Parquet table"

_BATCH = 65_536
_SAMPLE = 512
_BROKEN = (pa.ArrowException, OSError, ValueError, MemoryError, NotImplementedError, KeyError)


def sniff(path: Path, head: bytes) -> int:
    """By its columns, and whether one of them counts."""
    if not head.startswith(b"PAR1"):
        return 0
    try:
        with pq.ParquetFile(path) as file:
            names = [file.schema_arrow.field(i).name for i in range(len(file.schema_arrow.names))]
            if not any(map(is_step_name, names)) or len(names) > MOST_COLUMNS:
                return 0
            rows = RowCollector()
            for batch in file.iter_batches(_SAMPLE, columns=_wanted(file.schema_arrow)):
                _take(batch, rows)
                if rows.rows >= _SAMPLE:
                    break
    except _BROKEN:
        return 0
    table = rows.table()
    step = choose_step(table)
    return confidence(table, step) if step is not None and table.rows > 1 else 0


def read(path: Path) -> list[Log]:
    """The runs in the table."""
    warnings: list[str] = []
    rows = RowCollector()
    try:
        with pq.ParquetFile(path) as file:
            wanted = _wanted(file.schema_arrow)
            if not wanted:
                raise ReadError(path, "no column holds numbers")
            total = file.metadata.num_rows
            try:
                for batch in file.iter_batches(_BATCH, columns=wanted):
                    _take(batch, rows)
                    if rows.full:
                        break
            except _BROKEN as error:
                if not rows.rows:
                    raise
                warnings.append(f"damaged after row {rows.rows} ({error}); read up to there")
    except ReadError:
        raise
    except _BROKEN as error:
        raise ReadError(
            path, f"this is no whole Parquet file ({error})", hint="is it still being written?"
        ) from error
    if rows.full and rows.rows < total:
        warnings.append(f"more than {MOST_NUMBERS:,} numbers; the rest was not read")
    logs, _ = logs_of(path, ID, rows.table(), warnings, config=constant_texts(rows))
    return logs


def _wanted(schema: pa.Schema) -> list[str]:
    """Columns that can hold numbers, times or settings; no lists, no bytes."""
    wanted = []
    for field in schema:
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if (
            _is_number(kind)
            or pa.types.is_struct(kind)
            or pa.types.is_temporal(kind)
            or (pa.types.is_string(kind) or pa.types.is_large_string(kind))
        ):
            wanted.append(field.name)
    return list(dict.fromkeys(wanted))[:MOST_COLUMNS]


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def _take(batch: pa.RecordBatch, rows: RowCollector) -> None:
    table = pa.Table.from_batches([batch])
    for _ in range(12):
        structs = [f.name for f in table.schema if pa.types.is_struct(f.type)]
        if not structs or len(table.schema.names) > MOST_COLUMNS:
            break
        table = _flatten(table)
    columns: dict[str, tuple[FloatArray, IntArray | None]] = {}
    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        kind = column.type
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.timestamp("us")).cast(pa.int64())
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            found = _texts(field.name, column, rows)
            if found is not None:
                columns[field.name] = found
            continue
        elif not _is_number(kind) or pa.types.is_null(kind):
            continue
        column = column.cast(pa.float64(), safe=False)
        if column.null_count == len(column):
            continue
        values = column.to_numpy()
        places = None
        if column.null_count:
            places = np.flatnonzero(column.is_valid().to_numpy())
            values = values[places]
        columns[field.name] = (values, places)
    rows.add_columns(table.num_rows, columns)


def _flatten(table: pa.Table) -> pa.Table:
    names: list[str] = []
    columns: list[Any] = []
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_struct(field.type):
            for inner, part in zip(field.type, column.combine_chunks().flatten(), strict=True):
                names.append(f"{field.name}/{inner.name}")
                columns.append(part)
        else:
            names.append(field.name)
            columns.append(column)
    return pa.table(columns, names=names)


def _texts(
    name: str, column: pa.ChunkedArray, rows: RowCollector
) -> tuple[FloatArray, IntArray | None] | None:
    if is_time_name(name):
        stamps = [parse_time(text) if text else None for text in column.to_pylist()]
        kept = [i for i, stamp in enumerate(stamps) if stamp is not None]
        if kept:
            return np.array([stamps[i] for i in kept], np.float64), np.array(kept, np.int64)
        return None
    if name not in rows.varying:
        for text in column[:1000].unique()[:2].to_pylist():
            if text:
                rows.note(name, text)
    return None
