"""The hooks of trackers, each with its real library, all in one process: their imports cost most."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

import runvitals as rv

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

SCRIPTS = {
    "mlflow": """
import mlflow
mlflow.set_tracking_uri("file:./mlruns")
with mlflow.start_run() as run:
    mlflow.log_params({"batch_size": 4})
    mlflow.log_param("learning_rate", 0.1)
    for step in range(20):
        mlflow.log_metric("mlflow/loss", 1 / (step + 1), step=step)
        mlflow.log_metrics({"mlflow/kl": 0.01}, step=step)
    client = mlflow.MlflowClient()
    client.log_metric(run.info.run_id, "mlflow/late", 0.3, step=20)
    client.log_param(run.info.run_id, "seed", 3)
""",
    "trackio": """
import trackio
run = trackio.init(project="p", config={"gamma": 0.9})
for step in range(20):
    trackio.log({"trackio/loss": 1 / (step + 1)}, step=step)
run.log({"trackio/late": 0.3}, step=20)
trackio.finish()
""",
    "wandb": """
import wandb
run = wandb.init(project="p", mode="offline", config={"clip_range": 0.2})
for step in range(20):
    wandb.log({"wandb/loss": 1 / (step + 1)})
run.config.update({"n_steps": 8})
run.log({"wandb/late": 0.3})
wandb.finish()
""",
    "swanlab": """
import swanlab
run = swanlab.init(project="p", mode="offline", logdir="swanlog", config={"beta": 0.5})
for step in range(20):
    swanlab.log({"swanlab/loss": 1 / (step + 1)})
run.config.update({"epochs": 2})
run.log({"swanlab/late": 0.3}, step=20)
swanlab.finish()
""",
}
CONFIG = {
    "mlflow": {"batch_size": 4, "learning_rate": 0.1, "seed": 3},
    "trackio": {"gamma": 0.9},
    "wandb": {"clip_range": 0.2, "n_steps": 8},
    "swanlab": {"beta": 0.5, "epochs": 2},
}
LIBRARIES = [name for name in SCRIPTS if find_spec(name) is not None]
OFFLINE = {
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "WANDB_SILENT": "true",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
}


@pytest.fixture(scope="module", params=["run", "capture"])
def recorded(request, tmp_path_factory):
    """All libraries in one script, under `runvitals run` and with `rv.capture()`."""
    if not LIBRARIES:
        pytest.skip("needs mlflow, trackio, wandb or swanlab")
    folder = tmp_path_factory.mktemp(request.param)
    script = "\n".join(SCRIPTS[name] for name in LIBRARIES)
    command = [sys.executable, "train.py"]
    if request.param == "run":
        command = [sys.executable, "-m", "runvitals.cli.main", "run", "--quiet", "--", *command]
    else:
        script = f"import runvitals as rv\nmine = rv.capture()\n{script}\nmine.finish()"
    (folder / "train.py").write_text(script)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RUNVITALS_")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, **OFFLINE, "TRACKIO_DIR": str(folder / "trackio")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "the hook for" not in done.stderr
    [path] = (folder / "runs").rglob("run.json")
    return rv.open_run(path.parent)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_tracker_is_given_is_recorded_once_with_its_config(library, recorded):
    loss = recorded[f"{library}/loss"]

    assert loss.steps.tolist() == list(range(20))
    assert loss.values.tolist() == pytest.approx([1 / (step + 1) for step in range(20)])
    assert recorded[f"{library}/late"].steps.tolist() == [20]
    assert {key: recorded.config[key] for key in CONFIG[library]} == CONFIG[library]


@pytest.mark.parametrize(
    ("library", "place", "environment"),
    [
        ("swanlab", "swanlog", {}),
        ("trackio", "trackio", {"TRACKIO_STORAGE_MODE": "jsonl"}),
        ("wandb", "wandb", {}),
    ],
)
def test_what_a_tracker_keeps_on_disk_is_read(library, place, environment, tmp_path):
    pytest.importorskip(library)
    (tmp_path / "train.py").write_text(SCRIPTS[library])
    told = {**os.environ, **OFFLINE, **environment, "TRACKIO_DIR": str(tmp_path / "trackio")}

    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=told, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr[-3000:]
    [run] = rv.open_runs(tmp_path / place)
    loss = run[f"{library}/loss"]
    assert loss.steps.tolist() == list(range(20))
    assert loss.values.tolist() == pytest.approx([1 / (step + 1) for step in range(20)])
    assert run.config.items() >= {**CONFIG[library]}.items()
