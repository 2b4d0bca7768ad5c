"""An index that is open: its tables, asked and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from runvitals.index.rows import RunPoints
from runvitals.index.schema import IndexTable, ages, statements
from runvitals.index.segments import PointLoader
from runvitals.model import IndexFailure
from runvitals.store.clickhouse.connection import IndexAddress, connected, parse_index

_DEDUPLICATED = {
    "insert_deduplicate": 1,
    "deduplicate_blocks_in_dependent_materialized_views": 1,
    "async_insert": 0,
}
_ON_CLUSTERS = {"distributed_foreground_insert": 1}  # or a token would reach its shard too late


@dataclass
class Database:
    """Tables of one index. `client` is clickhouse-connect's."""

    client: Any
    address: IndexAddress

    @property
    def name(self) -> str:
        """Of the database."""
        return self.address.database

    def create(self, keep_days: int | None = None) -> None:
        """Make what is not there yet; tables that an administrator made on a cluster are left alone."""
        if self.is_cluster:
            return
        had = self.has("points")
        for statement in statements(self.name, keep_days=keep_days):
            self.client.command(statement)
        if keep_days and had:
            for statement in ages(self.name, keep_days):
                self.client.command(statement)

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        asked = (
            "SELECT 1 FROM system.tables WHERE database = {name:String} AND name = {table:String}"
        )
        return bool(self.rows(asked, name=self.name, table=table))

    @property
    def is_cluster(self) -> bool:
        """Whether its tables are spread over the servers of a cluster."""
        return self.has("points_local")

    def rows(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The answer to a question in which `{db}` stands for the database."""
        asked = self.client.query(sql.replace("{db}", self.name), parameters=parameters)
        return [tuple(row) for row in asked.result_rows]

    def table(self, sql: str, **parameters: Any) -> pa.Table:
        """The same as an Arrow table."""
        asked = sql.replace("{db}", self.name)
        found: pa.Table = self.client.query_arrow(asked, parameters=parameters, use_strings=True)
        return found

    def command(self, sql: str, **parameters: Any) -> None:
        """Do something, and wait until it is done."""
        self.client.command(
            sql.replace("{db}", self.name),
            parameters=parameters,
            settings={"mutations_sync": 2, "lightweight_deletes_sync": 2},
        )

    def loaded_runs(self) -> list[tuple[Any, ...]]:
        """Source, key, id, fingerprint and status of each run that is there."""
        return self.rows("SELECT source, run, id, fingerprint, status FROM {db}.runs FINAL")

    def loaded_verdicts(self) -> list[tuple[Any, ...]]:
        """Key, judge and fingerprint of each verdict that is there."""
        return self.rows("SELECT run, judged_by, fingerprint FROM {db}.verdicts FINAL")

    def load(self, points: RunPoints, problems: list[str]) -> int:
        """Load what is new of the points of a run; the number of points that were sent."""
        loader = PointLoader(self, points.key, problems)
        if points.folder is None:
            return loader.load_all(points.blocks(), points.fingerprint)
        return loader.load(points.folder)

    def insert(self, table: IndexTable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows, each with all columns."""
        if not rows:
            return
        names = [column.name for column in table.columns]
        self.client.insert(
            table.name,
            [[row[name] for name in names] for row in rows],
            column_names=names,
            column_type_names=[column.kind for column in table.columns],
            database=self.name,
        )

    def insert_once(self, table: IndexTable, rows: pa.Table, token: str) -> None:
        """Add rows unless that was done before, under the same token."""
        settings = {**_DEDUPLICATED, "insert_deduplication_token": token}
        if not self.address.folder:
            settings |= _ON_CLUSTERS
        self.client.insert_arrow(table.name, rows, database=self.name, settings=settings)


@contextmanager
def opened(url: str | IndexAddress, *, create: bool = False) -> Iterator[Database]:
    """The index at an address, for as long as it is needed."""
    address = parse_index(url) if isinstance(url, str) else url
    with connected(address, create=create) as client:
        database = Database(client, address)
        if not create and not database.has("points"):
            raise IndexFailure(
                "no index found in this database",
                where=str(address),
                hint=f"`runvitals index RUNS {address}` makes one",
            )
        yield database
