"""A dashboard over a temporary folder, and what its answers say."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import runvitals as rv
from runvitals.server.app import create_app
from runvitals.server.work import dashboard, scanner

PATIENCE = 600.0  # seconds: a busy machine takes its time


class Site(TestClient):
    """A client that can wait until all runs were found and judged."""

    def runs(self) -> list[dict[str, Any]]:
        """All rows, once nothing is left to find or judge."""
        return until(lambda: self._settled())["runs"]

    def runs_so_far(self) -> list[dict[str, Any]]:
        """All rows, once all runs are found."""
        return until(lambda: not (told := self.get("/api/runs").json())["scanning"] and told)[
            "runs"
        ]

    def _settled(self) -> dict[str, Any] | None:
        told = self.get("/api/runs").json()
        return None if told["scanning"] or told["judging"] else told

    def run(self, name: str) -> dict[str, Any]:
        """The page of the run of this name."""
        return self.get(f"/api/runs/{self.id_of(name)}").json()

    def id_of(self, name: str) -> str:
        """The id of the run of this name."""
        return next(row["id"] for row in self.runs() if row["name"] == name)


def until(question: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """The first answer that is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = question()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it never came true")


@pytest.fixture(autouse=True, scope="session")
def _impatient() -> Iterator[None]:
    """Look for news more often than a server of its own would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "MIN_PAUSE", 0.3)
        patch.setattr(dashboard, "MIN_WAIT", 0.5)
        yield


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Serve the temporary folder, or another; judged in a thread, which starts sooner."""
    with ExitStack() as stack:

        def begin(*roots: Path, judging: bool = True, **options: Any) -> Site:
            app = create_app(roots or [tmp_path], **{"workers": 0, **options})
            if not judging:
                app.state.dashboard.judges.stop()
            return stack.enter_context(Site(app, base_url="http://localhost:6060"))

        yield begin


@pytest.fixture
def trained(start: Callable[..., rv.LiveRun]) -> Callable[..., Path]:
    """Record a run whose return rises, and whose KL is far too high if it is to be sick."""

    def train(name: str, *, sick: bool = False, **options: Any) -> Path:
        run = start(name=name, algorithm="PPO", **options)
        log_training(run, sick=sick)
        run.finish()
        return run.folder

    return train


def log_training(run: rv.LiveRun, *, sick: bool = False) -> None:
    """A return that rises, unless the KL gets far too high."""
    rng = np.random.default_rng(0)
    for i in range(1, 61):
        values = {
            "outcome/return_mean": (10.0 if sick and i > 30 else 5.0 * i) + rng.normal(),
            "policy/approx_kl": (0.5 if sick and i > 25 else 0.008) + 0.0005 * rng.normal(),
            "policy/entropy": 0.6 + 0.01 * rng.normal(),
            "value/loss": 1.0 / i,
            "throughput/env_steps_per_s": 1000.0 + rng.normal(),
            "my_number": float(i),
        }
        run.log(values, step=1000 * i)


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory, _impatient: None) -> Iterator[Site]:
    """A site over a calm and a sick run, two seeds of each, that no test changes."""
    folder = tmp_path_factory.mktemp("gallery")
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    for name, seed in (("calm", 0), ("sick", 0), ("calm", 1), ("sick", 1)):
        config = {
            "lr": 0.1 if name == "calm" else 0.9,
            "seed": seed,
            "same": True,
            "target_kl": 0.03,
        }
        label = name if seed == 0 else f"{name}-{seed}"
        with rv.init(
            name=label,
            id=label,
            dir=folder,
            algorithm="PPO",
            config=config,
            tags=["first"],
            **quiet,
        ) as run:
            log_training(run, sick=name == "sick")
    with Site(create_app([folder], workers=0), base_url="http://localhost:6060") as site:
        site.runs()
        yield site


def decode(body: bytes) -> dict[str, dict[str, Any]]:
    """A binary answer as header and arrays, by series."""
    assert body[:4] == b"RVS1"
    length = struct.unpack("<I", body[4:8])[0]
    header, payload = json.loads(body[8 : 8 + length]), body[8 + length :]
    assert (8 + length) % 8 == 0
    for series in header["series"]:
        for array in series["arrays"]:
            kind = np.dtype(array["dtype"]).newbyteorder("<")
            assert array["offset"] % 8 == 0
            series[array["key"]] = np.frombuffer(payload, kind, array["length"], array["offset"])
    return {series["name"]: series for series in header["series"]}


@pytest.fixture
def series() -> Callable[..., dict[str, dict[str, Any]]]:
    """Ask for series and decode them."""

    def ask(site: Site, run: str, *names: str, **query: Any) -> dict[str, dict[str, Any]]:
        got = site.get(f"/api/runs/{site.id_of(run)}/series", params={"name": names, **query})
        assert got.status_code == 200, got.text
        return decode(got.content)

    return ask
