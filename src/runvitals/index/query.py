"""Questions in SQL, to an index, or to one that is made of a folder for that purpose."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pyarrow as pa

from runvitals.diagnosis.judge import settings_for
from runvitals.fleet.facts import RunFacts
from runvitals.fleet.table import RunQuery
from runvitals.index.asking import as_text, ask_server, asking
from runvitals.index.database import Database, opened
from runvitals.index.filling import Filler
from runvitals.index.question import Limits
from runvitals.model.references import cache_folder
from runvitals.remote.following import local_folder
from runvitals.store.clickhouse.address import IndexAddress, is_index, parse_index
from runvitals.store.objects.url import is_url

_POINTS = re.compile(r"\b(points|rollup|spread)\b", re.IGNORECASE)
_VERDICTS = re.compile(r"\b(verdicts|findings|fleet)\b", re.IGNORECASE)


def ask(sql: str, source: str) -> tuple[pa.Table, list[str]]:
    """The answer, and what could not be read of the source."""
    if is_index(source):
        return answer(parse_index(source), sql), []
    top = local_folder(source) if is_url(source) else Path(source)
    address = own_index(top)
    with opened(address, create=True) as database:
        database.create()
        filler = Filler(
            database,
            settings_for(),
            points=_POINTS.search(sql) is not None,
            verdicts=_VERDICTS.search(sql) is not None,
        )
        done = filler.fill(top)
    return answer(address, sql), done.problems


def answer(address: IndexAddress, sql: str, limits: Limits | None = None) -> pa.Table:
    """What a question gives; its tables are looked for in the index, and it can read nothing else."""
    if address.folder:
        with asking(address, limits) as index:
            return index.answer(sql)
    with opened(address) as database:
        return as_text(ask_server(database.client, database.name, sql, limits or Limits()))


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
    return [
        RunFacts(
            id=row[0],
            name=row[1],
            project=row[2],
            path=row[3],
            status=row[4],
            framework=row[5] or None,
            algorithm=row[6] or None,
            started=row[7],
            ended=row[8],
            last_step=row[9],
            verdict=row[10],
            reason=row[11],
            outcome=row[12] or None,
            start=row[13],
            best=row[14],
            now=row[15],
            rules=tuple(row[16]),
            message=row[17],
            settings={key: _value(text) for key, text in row[18].items()},
        )
        for row in rows
    ]


def _value(text: str) -> str | float | None:
    """A setting as it was before it became text, as far as that can be told."""
    try:
        return float(text)
    except ValueError:
        return text or None


def own_index(top: Path) -> IndexAddress:
    """Where the index of a folder is kept for questions about it."""
    digest = hashlib.sha256(str(top.resolve()).encode(errors="replace")).hexdigest()[:10]
    return parse_index(f"chdb://{cache_folder().absolute()}/asked-{digest}")
