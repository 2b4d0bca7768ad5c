"""One description of the tables serves one server and a cluster of them."""

from __future__ import annotations

import pytest

from runvitals.index.schema import TABLES, statements
from runvitals.model import IndexFailure
from runvitals.store.clickhouse.connection import PASSWORD, parse_index


def test_statements_of_a_cluster_are_sql_that_the_engine_understands(database):
    made = statements("team", cluster="main", keep_days=90)

    for statement in made:
        database.rows("SELECT formatQuery({made:String})", made=statement)
    assert all("ON CLUSTER 'main'" in statement for statement in made)
    for table in TABLES:
        local = next(one for one in made if f" team.{table.name}_local ON" in one)
        face = next(one for one in made if f" team.{table.name} ON" in one)
        assert f"ENGINE = Replicated{table.engine}(" in local
        assert f"Distributed('main', 'team', '{table.name}_local'" in face


def test_points_are_dropped_at_an_age_only_if_asked(database):
    def age():
        [(sql,)] = database.rows(
            "SELECT create_table_query FROM system.tables WHERE database = {name:String} "
            "AND name = 'points'",
            name=database.name,
        )
        return "TTL" in sql

    before = age()
    database.create(keep_days=30)

    assert not before
    assert age()


def test_a_password_stays_in_the_environment(monkeypatch):
    monkeypatch.setenv(PASSWORD, "")

    address = parse_index("clickhouse://me:s3cret@host:8443/team?secure=1")

    assert str(address) == "clickhouses://host:8443/team"
    assert "s3cret" not in repr(address)
    import os

    assert os.environ[PASSWORD] == "s3cret"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chdb://folder", "names no folder"),
        ("chdb:///data?database=a;b", "cannot be the name of a database"),
        ("clickhouse:///team", "names no host"),
        ("clickhouse://host/a-b", "cannot be the name of a database"),
        ("s3://bucket", "is not the address of an index"),
    ],
)
def test_wrong_addresses_are_explained(text, said):
    with pytest.raises(IndexFailure, match=said):
        parse_index(text)
