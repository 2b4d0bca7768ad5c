"""The embedded engine, open for the tests of a file; each has a database of its own."""

from __future__ import annotations

import itertools

import pytest

from runvitals.index.database import opened
from runvitals.store.clickhouse.connection import IndexAddress, connected

_numbers = itertools.count()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """The folder of an engine that stays open: it takes longer to open than to ask."""
    folder = str(tmp_path_factory.mktemp("engine"))
    with connected(IndexAddress(folder=folder), create=True):
        yield folder


@pytest.fixture
def database(engine):
    """An index with its tables and nothing in them."""
    address = IndexAddress(folder=engine, database=f"test{next(_numbers)}")
    with opened(address, create=True) as database:
        database.create()
        yield database
