"""Questions in SQL: whatever they say, they read the index and nothing else."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.fleet.conftest import QUIET

import runvitals as rv
from runvitals.diagnosis.judge import Settings
from runvitals.index.asking import asking
from runvitals.index.confinement import can_confine
from runvitals.index.database import opened
from runvitals.index.filling import Filler
from runvitals.index.query import answer, ask
from runvitals.index.question import Limits
from runvitals.model import RunvitalsError
from runvitals.store.clickhouse.address import IndexAddress

SECRET = "the-secret-of-the-house"
QUERIES = Path(__file__).parent / "queries"


def queries(name):
    lines = (QUERIES / f"{name}.sql").read_text(encoding="utf-8").splitlines()
    return [line.replace("⏎", "\n") for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    top = tmp_path_factory.mktemp("runs")
    for number in range(2):
        settings = {"learning_rate": 0.1 * (number + 1)}
        with rv.init(folder=top / f"run{number}", config=settings, **QUIET) as run:
            for step in range(20):
                run.log({"loss": 1 / (step + 1)}, step=step)
    return top


def filled(folder, runs):
    """An index with two runs, and beside it a database that is not for whoever asks."""
    address = IndexAddress(folder=str(folder))
    with opened(address, create=True) as database:
        database.create()
        Filler(database, Settings(), workers=1).fill(runs)
        database.command("CREATE DATABASE other")
        database.command("CREATE TABLE other.notes (a String) ENGINE = MergeTree ORDER BY a")
        database.command(f"INSERT INTO other.notes VALUES ('{SECRET}')")
    return address


@pytest.fixture(scope="module")
def index(tmp_path_factory, runs):
    return filled(tmp_path_factory.mktemp("index"), runs)


@pytest.fixture(scope="module")
def spare(tmp_path_factory, runs):
    """The same once more, for tests that open it themselves: one process at a time may."""
    return filled(tmp_path_factory.mktemp("spare"), runs)


@pytest.fixture(scope="module")
def asked(index, spare):
    with asking(index) as open_index:
        yield open_index


class Surroundings:
    """A file with a secret, a folder, and a port: what a query may not touch."""

    def __init__(self, folder):
        self.secret, self.out = folder / "secret.txt", folder / "out"
        self.out.mkdir()
        self.secret.write_text(SECRET)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setblocking(False)

    def fill(self, query):
        for name, value in (
            ("secret", self.secret),
            ("out", self.out),
            ("port", self.listening.getsockname()[1]),
        ):
            query = query.replace(f"{{{name}}}", str(value))
        return query

    def assert_untouched(self):
        assert self.secret.read_text() == SECRET
        assert list(self.out.iterdir()) == []
        with pytest.raises(BlockingIOError):
            self.listening.accept()


@pytest.fixture
def surroundings(tmp_path):
    made = Surroundings(tmp_path)
    yield made
    made.listening.close()


HOSTILE = queries("hostile") + (queries("hostile_function") if can_confine() else [])


@pytest.mark.parametrize("query", HOSTILE)
def test_a_hostile_query_is_refused_in_one_sentence(asked, surroundings, query):
    with pytest.raises(RunvitalsError) as refused:
        asked.answer(surroundings.fill(query))

    surroundings.assert_untouched()
    assert SECRET not in str(refused.value)
    assert "\n" not in refused.value.what
    assert "DB::" not in refused.value.what
    assert "Traceback" not in refused.value.what


@pytest.mark.parametrize("query", queries("harmless"))
def test_a_harmless_query_is_answered(asked, query):
    assert asked.answer(query).num_columns >= 1


def test_there_are_enough_of_both():
    assert len(HOSTILE) >= 60
    assert len(queries("harmless")) >= 60


def test_all_of_it_left_the_index_as_it_was(asked, surroundings):
    before = asked.answer("SELECT count(), sum(cityHash64(*)) FROM runs").to_pylist()
    for query in HOSTILE:
        with pytest.raises(RunvitalsError):
            asked.answer(surroundings.fill(query))

    assert asked.answer("SELECT count(), sum(cityHash64(*)) FROM runs").to_pylist() == before
    assert asked.answer("SELECT count() AS n FROM points").to_pylist() == [{"n": 40}]
    assert asked.answer("SELECT currentDatabase() AS d").to_pylist() == [{"d": "runvitals"}]


def test_bytes_that_are_not_text_are_said_to_be_so(asked):
    with pytest.raises(RunvitalsError, match="not text"):
        asked.answer("SELECT unhex('89FF') AS bytes")

    assert asked.answer("SELECT hex(unhex('89FF')) AS b").to_pylist() == [{"b": "89FF"}]


def test_settings_of_a_part_of_a_query_change_nothing(asked):
    query = "SELECT * FROM (SELECT getSetting('readonly') AS mode SETTINGS readonly = 0)"

    assert asked.answer(query).to_pylist() == [{"mode": 1}]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))",
        "SELECT * FROM generateRandom('a String')",
        "SELECT groupArray(number) FROM numbers(10000000000)",
        "SELECT arrayJoin(range(100000000)), arrayJoin(range(100000000))",
        "SELECT repeat('x', 1000000) FROM numbers(1000000)",
        "SELECT a.number FROM numbers(10000000) AS a CROSS JOIN numbers(10000000) AS b ORDER BY 1",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t",
        "SELECT number FROM numbers(1000000000)",
    ],
)
def test_a_query_that_wants_too_much_is_ended(spare, query):
    limits = Limits(seconds=2.0, memory=200 << 20, answer=10 << 20)

    with pytest.raises(RunvitalsError, match=r"too long|longer than|out of memory|recursive"):
        answer(spare, query, limits)


def test_a_query_that_the_engine_does_not_end_is_ended_with_its_process(spare):
    with asking(spare, Limits(seconds=1e9)) as endless:
        with pytest.raises(RunvitalsError, match="took longer"):
            endless.answer("SELECT sum(cityHash64(number)) FROM numbers(1e15)", patience=0.5)

        assert endless.process.wait(600) != 0
        with pytest.raises(RunvitalsError, match="earlier query"):
            endless.answer("SELECT 1")


def test_the_secrets_of_the_environment_do_not_go_along(spare, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with asking(spare) as open_index:
        found = Path(f"/proc/{open_index.process.pid}/environ")
        if not found.exists():
            pytest.skip("no /proc here")

        assert SECRET.encode() not in found.read_bytes()


def test_a_folder_of_runs_is_asked_by_the_same_rules(runs, surroundings, monkeypatch, tmp_path):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))

    table, problems = ask("SELECT count() AS n FROM points", str(runs))
    with pytest.raises(RunvitalsError):
        ask(surroundings.fill("SELECT 1 INTO OUTFILE '{out}/a.csv'"), str(runs))

    assert (table.to_pylist(), problems) == ([{"n": 40}], [])
    surroundings.assert_untouched()


def test_where_there_is_no_index_the_error_says_how_to_make_one(tmp_path):
    with pytest.raises(RunvitalsError, match="no index found"):
        ask("SELECT 1", f"chdb://{tmp_path}/nothing")
