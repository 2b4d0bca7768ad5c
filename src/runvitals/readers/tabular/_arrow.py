"""Clean delimited text and Parquet through pyarrow; imported only when such a file is read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from runvitals.model import FloatArray, IntArray
from runvitals.readers.raw.numbers import ABSENT, parse_duration, parse_number, parse_time
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import is_key_name, is_step_name, is_time_name
from runvitals.readers.rows.table import MAX_COLUMNS

Numbers = tuple[FloatArray, IntArray | None]  # and their rows, None for all
BROKEN = (pa.ArrowException, OSError, ValueError, MemoryError, NotImplementedError, LookupError,
          TypeError)  # fmt: skip
_NULLS = ["", "None", "none", "NONE", "null", "Null", "NULL", "NA", "N/A", "n/a", "na", "-", "--",
          "nil"]  # fmt: skip
_DEEPEST = 12

# While it reads text, pyarrow takes Ctrl-C over and hands it on later; one in a hundred is lost
# there, and a command that waits for it then never ends. Blocks are read in a moment: let Python
# have the signal.
pa.enable_signal_handlers(False)


# Delimited text


def read_block(
    block: bytes, kinds: Sequence[str], delimiter: str, decimal: str
) -> tuple[int, dict[int, Numbers], list[tuple[int, str]], dict[int, list[str | None]]] | None:
    """Rows, and by index columns of numbers, constant texts and keys; None when the block is not
    clean."""
    types: dict[str, pa.DataType] = {}
    for index, kind in enumerate(kinds):
        if kind == "number":
            types[str(index)] = pa.float64()
        elif kind == "bool":
            types[str(index)] = pa.bool_()
        elif kind in {"time", "duration", "key"}:
            types[str(index)] = pa.string()
        elif kind == "constant":
            types[str(index)] = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pacsv.read_csv(
            pa.BufferReader(block),
            read_options=pacsv.ReadOptions(
                use_threads=len(block) > 2**20,
                column_names=[str(i) for i in range(len(kinds))],
                block_size=min(2**20 + 2 * block.find(b"\n"), 2**26),
            ),
            parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in block),
            convert_options=pacsv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=_NULLS,
                true_values=["True", "true", "TRUE"],
                false_values=["False", "false", "FALSE"],
                decimal_point=decimal,
                check_utf8=False,
            ),
        )
        columns: dict[int, Numbers] = {}
        texts: list[tuple[int, str]] = []
        keys: dict[int, list[str | None]] = {}
        for key in types:
            index = int(key)
            column = table.column(key)
            if kinds[index] == "constant":
                texts += [(index, text) for text in _constants(column)]
            elif kinds[index] == "key":
                keys[index] = _key_texts(column)
                texts += [(index, text) for text in dict.fromkeys(keys[index]) if text][:2]
            elif (found := _numbers(kinds[index], column)) is not None:
                columns[index] = found
    except BROKEN:
        return None
    return table.num_rows, columns, texts, keys


def _constants(column: pa.ChunkedArray) -> Iterator[str]:
    for chunk in column.chunks:
        for text in chunk.dictionary[:2].to_pylist():
            if text and text.strip().lower() not in ABSENT:
                if parse_number(text) is not None:
                    raise ValueError("numbers among texts")
                yield text.strip()


def _key_texts(column: pa.ChunkedArray) -> list[str | None]:
    texts: list[str | None] = column.to_pylist()
    if any(text and parse_number(text) is not None for text in dict.fromkeys(texts)):
        raise ValueError("numbers among texts")
    return texts


def _numbers(kind: str, column: pa.ChunkedArray) -> Numbers | None:
    if kind in {"time", "duration"}:
        parse = parse_time if kind == "time" else parse_duration
        return _parsed([parse(text) if text else None for text in column.to_pylist()])
    if kind == "bool":
        column = column.cast(pa.float64())
    return _filled(column)


def _parsed(numbers: Sequence[float | None]) -> Numbers | None:
    kept = [i for i, number in enumerate(numbers) if number is not None]
    if not kept:
        return None
    values = np.array([numbers[i] for i in kept], np.float64)
    return values, (None if len(kept) == len(numbers) else np.array(kept, np.int64))


def _filled(column: pa.ChunkedArray) -> Numbers | None:
    """Numbers of a float64 column. From its buffers: `to_numpy` would import pandas."""
    if column.null_count == len(column):
        return None
    pieces: list[FloatArray] = []
    places: list[IntArray] = []
    start = 0
    for chunk in column.chunks:
        bits, data = chunk.buffers()
        end = chunk.offset + len(chunk)
        values = np.frombuffer(data, np.float64, end)[chunk.offset :] if len(chunk) else np.empty(0)
        if column.null_count:
            if chunk.null_count:
                valid = np.unpackbits(np.frombuffer(bits, np.uint8), count=end, bitorder="little")
                kept = np.flatnonzero(valid[chunk.offset :])
                values = values[kept]
            else:
                kept = np.arange(len(chunk))
            places.append(kept + start)
        pieces.append(values)
        start += len(chunk)
    numbers = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    return numbers, (np.concatenate(places) if places else None)


# Parquet


def read_parquet(path: Path, rows: RowCollector, batch: int, most: int | None = None) -> int:
    """Take in the rows of a file, the first `most` of them; gives how many it has in all."""
    with pq.ParquetFile(path) as file:
        wanted = _wanted(file.schema_arrow)
        if not wanted:
            return 0
        for piece in file.iter_batches(batch, columns=wanted):
            _take(piece, rows)
            if rows.full or (most is not None and rows.rows >= most):
                break
        return int(file.metadata.num_rows)


def column_names(path: Path) -> list[str]:
    """The names of the columns of a Parquet file."""
    with pq.ParquetFile(path) as file:
        names: list[str] = file.schema_arrow.names
    return names


def counts_by_name(path: Path) -> bool:
    """True if a column of a Parquet file is called like a step."""
    names = column_names(path)
    return len(names) <= MAX_COLUMNS and any(map(is_step_name, names))


def _wanted(schema: pa.Schema) -> list[str]:
    """Columns that can hold numbers, times or settings; no lists, no bytes."""
    wanted = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        told = pa.types.is_struct(kind) or pa.types.is_temporal(kind)
        if told or _is_number(kind) or _is_text(kind):
            wanted.append(field.name)
    return list(dict.fromkeys(wanted))[:MAX_COLUMNS]


def _is_number(kind: pa.DataType) -> bool:
    is_a = pa.types
    tests = (is_a.is_integer, is_a.is_floating, is_a.is_boolean, is_a.is_decimal)
    return any(test(kind) for test in tests)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _take(batch: pa.RecordBatch, rows: RowCollector) -> None:
    table = pa.Table.from_batches([batch])
    for _ in range(_DEEPEST):
        structs = any(pa.types.is_struct(field.type) for field in table.schema)
        if not structs or len(table.schema.names) > MAX_COLUMNS:
            break
        table = _flatten(table)
    columns: dict[str, Numbers] = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        found: Numbers | None = None
        if _is_text(column.type):
            found = _texts(field.name, column, rows)
        elif pa.types.is_timestamp(column.type):
            stamps = column.cast(pa.timestamp("us", column.type.tz), safe=False)
            found = _filled(stamps.cast(pa.int64()).cast(pa.float64(), safe=False))
        elif _is_number(column.type):
            found = _filled(column.cast(pa.float64(), safe=False))
        if found is not None:  # a copy: the numbers of a batch lie within those of many
            columns[field.name] = (found[0].copy(), found[1])
    rows.add_columns(table.num_rows, columns)


def _flatten(table: pa.Table) -> pa.Table:
    """Structs as the columns that they hold, one level of them."""
    names: list[str] = []
    for field in table.schema:
        inner = field.type if pa.types.is_struct(field.type) else None
        names += [field.name] if inner is None else [f"{field.name}/{one.name}" for one in inner]
    return table.flatten().rename_columns(names)


def _texts(name: str, column: pa.ChunkedArray, rows: RowCollector) -> Numbers | None:
    if is_time_name(name):
        return _parsed([parse_time(text) if text else None for text in column.to_pylist()])
    if is_key_name(name):
        rows.add_texts(name, column.to_pylist())
    if name not in rows.varying:
        for text in column.slice(0, 1000).unique()[:2].to_pylist():
            if text:
                rows.note(name, text)
    return None
