"""Smoke trainings in pytest: the fixture `training_run` and the marker `learns`.

pytest imports this wherever runvitals is installed, so that nothing else of it is imported before a
test asks for it.

    @pytest.mark.learns(allow=["PERF001"])
    def test_ppo_learns(training_run):
        train(steps=20_000, run=training_run)
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runvitals.api import LiveRun

MARKER = "learns"
OPTIONS = ("allow",)
_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(allow=()): the test trains, and every run it records has to learn without alarms;"
        " findings of the rules in `allow` are fine. Needs no fixture.",
    )


@pytest.fixture
def training_run(request: pytest.FixtureRequest, _runs_of_test: Path) -> Iterator[LiveRun]:
    """A run that is recorded into the test's temporary folder; `run.log` as everywhere."""
    from runvitals.api import init

    run = init(
        "pytest",
        request.node.name,
        dir=_runs_of_test,
        console=False,
        tensorboard=False,
        system=False,
        judge=False,
        handle_signals=False,
    )
    yield run
    run.finish()


@pytest.fixture
def _runs_of_test(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Where all that the test records goes, whoever calls `rv.init`."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("RUNVITALS_DIR", str(folder))
    request.node.stash[_FOLDER] = folder
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A marked test records into its own folder, also if it asks for no fixture."""
    for item in items:
        if item.get_closest_marker(MARKER) is not None and isinstance(item, pytest.Function):
            item.fixturenames.append("_runs_of_test")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Judge what a marked test has recorded, if it went well so far."""
    marker = pyfuncitem.get_closest_marker(MARKER)
    options = {} if marker is None else _options(marker)
    done = yield
    if marker is not None:
        _check(pyfuncitem.stash[_FOLDER], options)
    return done


def _options(marker: pytest.Mark) -> dict[str, Any]:
    wrong = [key for key in marker.kwargs if key not in OPTIONS]
    if wrong or marker.args:
        said = ", ".join([*map(repr, marker.args), *wrong])
        raise pytest.UsageError(f"@pytest.mark.{MARKER} takes allow=[...] only, got {said}")
    allow = marker.kwargs.get("allow", ())
    return {"allow": [allow] if isinstance(allow, str) else list(allow)}


def _check(folder: Path, options: dict[str, Any]) -> None:
    """Fail with the verdict and the findings of the first run that does not learn."""
    __tracebackhide__ = True
    from runvitals.readers.open import open_runs
    from runvitals.recorder.live_runs import live_runs
    from runvitals.testing import assert_learns

    for live in live_runs():
        if live.folder.is_relative_to(folder):
            live.finish()
    runs = open_runs(folder) if folder.is_dir() else []
    if not runs:
        pytest.fail(f"the test is marked {MARKER!r} but recorded no run", pytrace=False)
    for run in runs:
        try:
            assert_learns(run, **options)
        except AssertionError as error:
            pytest.fail(f"{run.path}: {error}", pytrace=False)
