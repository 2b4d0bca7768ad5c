"""Questions in SQL: to a ClickHouse server, or about a folder of runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from runvitals.fleet.table import RunQuery
from runvitals.index.asked import Limits, refusal
from runvitals.index.asking import as_text, asking
from runvitals.index.database import Database, opened
from runvitals.index.local import fill
from runvitals.model import ConfigError
from runvitals.remote.following import local_folder
from runvitals.render.judged import RunFacts
from runvitals.store.clickhouse.connection import IndexAddress, is_index, parse_index
from runvitals.store.objects.store import is_url

# how the names begin that ClickHouse's parser gives to statements that read
_ANSWERED = ("Select", "Show", "Describe", "Explain", "Exists")
_TO_FILE = " INTO OUTFILE 'x'"


def ask(sql: str, source: str) -> tuple[pa.Table, list[str]]:
    """The answer, and what could not be read of the source."""
    if is_index(source):
        return _of_server(parse_index(source), sql), []
    file, problems = fill(local_folder(source) if is_url(source) else Path(source), sql)
    with asking(file) as tables:
        return tables.answer(sql), problems


def _of_server(address: IndexAddress, sql: str) -> pa.Table:
    if address.folder:
        raise ConfigError(
            "`query` does not read an embedded index, whose function `file()` reads any file",
            hint="query the folder of the runs, or a ClickHouse server",
        )
    with opened(address) as database:
        return as_text(ask_server(database.client, database.name, sql, Limits()))


def ask_server(client: Any, database: str, sql: str, limits: Limits) -> pa.Table:
    """The answer of a server. Where its user is read-only already, it keeps the limits of that user."""
    client.database = database
    known = client.server_settings.get("readonly")
    settings = {} if known is not None and known.value == "1" else limits.settings()

    def first_cell(asked: str) -> str:
        return str(client.query(asked, settings=settings).first_row[0])

    spelled = one_question(sql, first_cell)
    found: pa.Table = client.query_arrow(spelled, use_strings=True, settings=settings)
    return found


def one_question(sql: str, first_cell: Callable[[str], str]) -> str:
    """The question in the engine's own spelling; raises if it is not one, or would write a file.

    `first_cell` asks the engine something, and gives the first value of its answer. None of what it is
    asked here runs the question.
    """
    spelled = first_cell(f"SELECT formatQuerySingleLine({_quoted(sql)})")
    # the parser takes only one INTO OUTFILE, and none after FORMAT: so the question has neither
    test = f"SELECT isNull(formatQuerySingleLineOrNull({_quoted(spelled + _TO_FILE)}))"
    if first_cell(test) != "0":
        raise refusal()
    if not first_cell(f"EXPLAIN AST {spelled}").startswith(_ANSWERED):
        raise refusal()
    return spelled


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0")
    return f"'{escaped}'"


def fleet_of(database: Database, wanted: RunQuery) -> list[RunFacts]:
    """The runs of an index that are asked for, the latest first."""
    where, given = wanted.sql()
    rows = database.rows(
        "SELECT id, name, project, source, status, framework, algorithm, "
        "toUnixTimestamp64Micro(started) / 1e6, toUnixTimestamp64Micro(ended) / 1e6, last_step, "
        "verdict, reason, outcome, start, best, now, rules, message, settings "
        f"FROM {{db}}.fleet WHERE {where} ORDER BY coalesce(ended, started) DESC",
        **given,
    )
    return [_facts(dict(zip(_FACTS, row, strict=True))) for row in rows]


# what is asked of the view `fleet`, by the names that `RunFacts` has for it
_FACTS = (
    "id name project path status framework algorithm started ended last_step verdict reason outcome "
    "start best now rules message settings"
).split()


def _facts(said: dict[str, Any]) -> RunFacts:
    said |= {name: said[name] or None for name in ("framework", "algorithm", "outcome")}
    said["rules"] = tuple(said["rules"])
    said["settings"] = {key: _value(text) for key, text in said["settings"].items()}
    return RunFacts(**said)


def _value(text: str) -> str | float | None:
    """A setting as it was before it became text, as far as that can be told."""
    try:
        return float(text)
    except ValueError:
        return text or None
