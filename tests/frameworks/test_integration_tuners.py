"""Real studies of Optuna and Ray Tune: sick trials end early, healthy ones do not."""

from __future__ import annotations

import math
import sys
import time

import pytest

import runvitals as rv

pytestmark = pytest.mark.frameworks

STEPS = 400
QUIET = {"console": False, "tensorboard": False, "system": False}


def numbers(step: int, learning_rate: float) -> dict[str, float]:
    """A policy that learns, or whose loss is no number from a quarter of its plan on."""
    sick = learning_rate > 0.1 and step >= STEPS // 4
    return {
        "outcome/return_mean": 100 * (1 - math.exp(-step / 80)),
        "policy/approx_kl": 0.01,
        "policy/loss": math.nan if sick else 1 / (step + 1),
    }


def test_optuna_prunes_the_sick_trials_alone(tmp_path):
    optuna = pytest.importorskip("optuna")
    from runvitals.integrations.optuna import STOPPED_BY, RunvitalsPruner, trial_run

    def objective(trial):
        rate = trial.suggest_categorical("learning_rate", [3e-4, 0.5])
        with trial_run(trial, dir=tmp_path, **QUIET) as run:
            run.progress(total_steps=STEPS)
            for step in range(STEPS):
                values = numbers(step, rate)
                run.log(values, step=step)
                trial.report(values["outcome/return_mean"], step)
                if trial.should_prune():
                    raise optuna.TrialPruned
                time.sleep(0.02 if rate > 0.1 else 0.0)
        return values["outcome/return_mean"]

    sampler = optuna.samplers.GridSampler({"learning_rate": [3e-4, 0.5]})
    study = optuna.create_study(study_name="two", sampler=sampler, pruner=RunvitalsPruner())
    study.optimize(objective, n_trials=2)

    by_rate = {trial.params["learning_rate"]: trial for trial in study.trials}
    assert by_rate[3e-4].state.name == "COMPLETE"
    assert by_rate[0.5].state.name == "PRUNED"
    assert by_rate[0.5].user_attrs[STOPPED_BY]
    runs = {run.config["learning_rate"]: run for run in rv.open_runs(tmp_path)}
    assert (runs[3e-4].status, runs[0.5].status) == ("finished", "stopped")
    assert runs[0.5].stopped_by


def test_optuna_asks_the_other_pruner_about_trials_that_are_well():
    optuna = pytest.importorskip("optuna")
    from runvitals.integrations.optuna import RunvitalsPruner

    class Always(optuna.pruners.BasePruner):
        def prune(self, study, trial):
            return True

    study = optuna.create_study()

    assert RunvitalsPruner(Always()).prune(study, study.ask())
    assert not RunvitalsPruner().prune(study, study.ask())


def trainable(config):
    from ray import tune

    for step in range(STEPS):
        tune.report(numbers(step, config["learning_rate"]))
        time.sleep(0.02 if config["learning_rate"] > 0.1 else 0.0)


def test_ray_tune_stops_the_sick_trial_alone(tmp_path):
    ray = pytest.importorskip("ray")
    from ray import tune

    from runvitals.integrations.ray_tune import RunvitalsStopper

    # the workers do not know the folder of the tests
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        stopper = RunvitalsStopper(
            total=STEPS, dir=tmp_path / "runs", console=False, tensorboard=False
        )
        tuner = tune.Tuner(
            trainable,
            param_space={"learning_rate": tune.grid_search([3e-4, 0.5])},
            run_config=tune.RunConfig(
                stop=stopper, callbacks=[stopper], storage_path=str(tmp_path / "ray"), verbose=0
            ),
        )
        results = tuner.fit()
    finally:
        ray.shutdown()

    ended = {one.config["learning_rate"]: one.metrics["training_iteration"] for one in results}
    assert ended[3e-4] == STEPS
    assert ended[0.5] < STEPS
    runs = {run.config["learning_rate"]: run for run in rv.open_runs(tmp_path / "runs")}
    assert runs[3e-4].status == "finished"
    assert runs[0.5].status == "stopped"
    assert runs[0.5].stopped_by
