"""Questions in SQL: whatever they say, they read the tables of a folder and nothing else."""

from __future__ import annotations

import shutil
import socket
import sys
from pathlib import Path

import duckdb
import pytest
from clickhouse_connect.driver.exceptions import Error as ClickHouseError
from tests.fleet.conftest import QUIET

import runvitals as rv
from runvitals.index import asking as asking_module
from runvitals.index.asked import Limits, can_confine
from runvitals.index.asking import asking
from runvitals.index.local import LocalTables, fill
from runvitals.index.query import ask, one_question
from runvitals.model import RunvitalsError

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


EVERYTHING = "points, verdicts"  # tables that are only filled if a query names them


@pytest.fixture(scope="module")
def tables(tmp_path_factory, runs):
    """The file with the tables of two runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNVITALS_CACHE", str(tmp_path_factory.mktemp("cache")))
        file, problems = fill(runs, EVERYTHING)
    assert problems == []
    return file


UNCONFINED = (
    "import sys, runvitals.index.asked as asked; asked.can_confine = lambda: False; "
    "asked.main(*sys.argv[1:])"
)


@pytest.fixture(scope="module", params=["landlock", "DuckDB alone"])
def asked(tables, request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "landlock":
            patch.setattr(asking_module, "_CHILD", (sys.executable, "-P", "-c", UNCONFINED))
        elif not can_confine():
            pytest.skip("no Landlock here")
        with asking(tables) as open_tables:
            yield open_tables


class Surroundings:
    """A file with a secret, a folder, and a port: what a query may not touch."""

    def __init__(self, folder):
        self.secret, self.out = folder / "secret.txt", folder / "out"
        self.other = folder / "other.duckdb"
        self.out.mkdir()
        with duckdb.connect(str(self.other)) as other:
            other.execute(f"CREATE TABLE notes AS SELECT '{SECRET}' AS a")
        self.secret.write_text(SECRET)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setblocking(False)

    def fill(self, query):
        for name, value in (
            ("secret", self.secret),
            ("other", self.other),
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


HOSTILE = queries("hostile")


@pytest.mark.parametrize("query", HOSTILE)
def test_a_hostile_query_is_refused_in_one_sentence(asked, surroundings, query):
    with pytest.raises(RunvitalsError) as refused:
        asked.answer(surroundings.fill(query))

    surroundings.assert_untouched()
    assert SECRET not in str(refused.value)
    assert "\n" not in refused.value.what
    assert "Traceback" not in refused.value.what


@pytest.mark.parametrize("query", queries("harmless"))
def test_a_harmless_query_is_answered(asked, query):
    assert asked.answer(query).num_columns >= 1


def test_there_are_enough_of_both():
    assert len(HOSTILE) >= 180
    assert len(queries("harmless")) >= 60


def test_all_of_it_left_the_tables_as_they_were(asked, tables, surroundings):
    before = tables.read_bytes()
    for query in HOSTILE:
        with pytest.raises(RunvitalsError):
            asked.answer(surroundings.fill(query))

    assert tables.read_bytes() == before
    assert asked.answer("SELECT count(*) AS n FROM points").to_pylist() == [{"n": 40}]
    assert asked.answer("SELECT current_database() AS d").to_pylist() == [{"d": tables.stem}]


def test_sums_of_integers_are_integers(asked):
    table = asked.answer("SELECT sum(step) AS s, avg(step) AS a, 1.5 AS d FROM points")

    assert table.to_pylist() == [{"s": 380, "a": 9.5, "d": 1.5}]


def test_the_rules_of_a_run_keep_their_order():
    shown = dict.fromkeys(("name", "severity", "series", "message", "advice", "area"), "")
    steps = dict.fromkeys(("first_step", "last_step", "first_seen"), 0)
    findings = [
        {"code": code, **shown, **steps, "part_of": part, "alarm": alarm}
        for code, part, alarm in [
            ("ZZZ001", "", True),
            ("AAA001", "", False),
            ("KL001", "ZZZ001", True),
            ("AAA002", "", True),
            ("ZZZ001", "", True),
        ]
    ]
    with duckdb.connect() as empty:
        LocalTables(empty).create()
        empty.execute("INSERT INTO runs (run) VALUES ('a'), ('b')")
        empty.execute("INSERT INTO verdicts BY NAME SELECT 'a' AS run, ? AS findings", [findings])
        found = empty.execute("SELECT run, rules, rule FROM fleet ORDER BY run").fetchall()

    assert found == [("a", ["ZZZ001", "AAA002"], "ZZZ001"), ("b", None, None)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM range(1000000000000) AS t(n) WHERE hash(n) = 1",
        "SELECT list(range) FROM range(10000000000)",
        "SELECT repeat('x', 1000000) FROM range(1000000)",
        "SELECT a.range FROM range(10000000) AS a CROSS JOIN range(10000000) AS b ORDER BY 1",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t",
        "SELECT range FROM range(1000000000)",
    ],
)
def test_a_query_that_wants_too_much_is_ended(tables, query):
    limits = Limits(seconds=2.0, memory=200 << 20, answer=10 << 20, spill=100 << 20)

    with (
        asking(tables, limits) as limited,
        pytest.raises(RunvitalsError, match=r"too long|longer than|out of memory"),
    ):
        limited.answer(query)


def test_a_query_that_takes_too_long_is_ended_with_its_process(tables):
    with asking(tables) as endless:
        with pytest.raises(RunvitalsError, match="took longer"):
            endless.answer("SELECT sum(hash(range)) FROM range(1000000000000)", patience=0.5)

        assert endless.process.wait(600) != 0
        with pytest.raises(RunvitalsError, match="earlier query"):
            endless.answer("SELECT 1")


def test_the_secrets_of_the_environment_do_not_go_along(tables, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with asking(tables) as open_index:
        found = Path(f"/proc/{open_index.process.pid}/environ")
        if not found.exists():
            pytest.skip("no /proc here")

        assert SECRET.encode() not in found.read_bytes()


@pytest.fixture
def own_runs(tmp_path):
    """Two runs that a test may change."""
    for number in range(2):
        with rv.init(folder=tmp_path / "runs" / f"run{number}", **QUIET) as run:
            run.log({"loss": 1.0}, step=1)
    return tmp_path / "runs"


def test_a_folder_is_asked_as_it_is_now(own_runs):
    count = "SELECT count(*) AS n FROM points"
    before, _ = ask(count, str(own_runs))
    with rv.init(folder=own_runs / "run2", **QUIET) as run:
        run.log({"loss": 1.0}, step=1)
        run.log({"loss": 2.0}, step=2)
    more, _ = ask(count, str(own_runs))
    shutil.rmtree(own_runs / "run0")
    fewer, problems = ask(count, str(own_runs))

    assert [table.to_pylist()[0]["n"] for table in (before, more, fewer)] == [2, 4, 3]
    assert problems == []


def test_points_are_loaded_once_a_query_needs_them(own_runs):
    runs, _ = ask("SELECT run FROM runs ORDER BY run", str(own_runs))
    points, _ = ask("SELECT DISTINCT run FROM points ORDER BY run", str(own_runs))

    assert runs.num_rows == 2
    assert points.to_pylist() == runs.to_pylist()


def test_tables_that_cannot_be_opened_are_made_again(own_runs):
    file, _ = fill(own_runs, EVERYTHING)
    file.write_bytes(b"no tables at all" * 1000)
    table, _ = ask("SELECT count(*) AS n FROM points", str(own_runs))

    assert table.to_pylist() == [{"n": 2}]


def test_a_hostile_query_to_a_folder_is_refused(own_runs, surroundings):
    with pytest.raises(RunvitalsError, match="one SELECT"):
        ask(surroundings.fill("COPY runs TO '{out}/a.csv'"), str(own_runs))

    surroundings.assert_untouched()


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO runs (run) VALUES ('x')",
        "SELECT 1 INTO OUTFILE '{out}/a.csv'",
        "SELECT 1 FORMAT CSV",
        "SELECT 1; DROP TABLE runs",
        "DROP TABLE runs",
        "SET readonly = 0",
        "SYSTEM SHUTDOWN",
    ],
)
def test_a_server_is_asked_nothing_but_questions(database, surroundings, query):
    def first_cell(sql):
        return str(database.rows(sql)[0][0])

    with pytest.raises((RunvitalsError, ClickHouseError)):
        one_question(surroundings.fill(query), first_cell)

    surroundings.assert_untouched()
    assert one_question("select  run from runs -- all", first_cell) == "SELECT run FROM runs"


def test_an_embedded_index_is_not_queried(tmp_path):
    with pytest.raises(RunvitalsError, match="embedded index") as refused:
        ask("SELECT 1", f"chdb://{tmp_path}/index")

    assert "query the folder" in (refused.value.hint or "")
