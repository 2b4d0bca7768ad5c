"""Where an adapter gets its run from, without any framework."""

from __future__ import annotations

import pytest

import runvitals as rv
from runvitals.integrations.session import AdapterSession, MissingPackageError, current_run, needed


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    rv.finish()


def quiet(**more):
    return {"console": False, "system": False, "tensorboard": False, **more}


def test_without_a_run_one_is_begun_and_ends_with_the_training():
    session = AdapterSession("stable-baselines3", **quiet(project="p"))
    run = session.begin({"learning_rate": 3e-4}, algorithm="PPO")
    run.log({"train/entropy_loss": -0.5}, step=1)

    session.end()

    read = rv.open_run(run.folder)
    assert (read.framework, read.algorithm, read.status) == ("stable-baselines3", "PPO", "finished")
    assert read.settings["learning_rate"] == 3e-4
    assert read["policy/entropy"].last == 0.5


def test_a_run_that_the_user_began_is_joined_described_and_left_open():
    with rv.init(project="mine", **quiet()) as mine:
        session = AdapterSession("trl")

        run = session.begin({"beta": 0.1}, algorithm="DPO")
        session.end()

        assert run is mine
        assert mine.status == "running"
        assert mine.config == {"beta": 0.1}
    read = rv.open_run(mine.folder)
    assert (read.framework, read.algorithm) == ("trl", "DPO")


def test_the_training_after_one_that_raised_gets_a_run_of_its_own():
    raised = AdapterSession("trl", replaces="transformers", **quiet()).begin()  # and nobody ends it

    again = AdapterSession("trl", replaces="transformers", **quiet()).begin()
    inside = AdapterSession(None, replaces="accelerate").begin()

    assert again is not raised
    assert raised.status == "running", "nothing that it still logs is lost"
    assert inside is again
    for run in (again, raised):
        run.finish()


def test_arguments_that_a_joined_run_cannot_take_are_named():
    rv.init(project="mine", **quiet())

    with pytest.warns(rv.RunvitalsWarning, match="not used: name, project"):
        AdapterSession("trl", project="other", name="x").begin()


def test_a_training_that_goes_on_continues_in_its_run():
    session = AdapterSession("stable-baselines3", **quiet(project="p"))
    first = session.begin()
    first.log({"loss": 1.0}, step=10)
    session.end()

    second = session.begin(again=True)
    second.log({"loss": 0.5, "eval/mean_reward": 3.0}, step=20)
    session.end()

    assert second.folder == first.folder
    assert rv.open_run(first.folder)["loss"].values.tolist() == [1.0, 0.5]


def test_adapters_that_own_a_folder_join_only_what_the_user_began():
    with_folder = AdapterSession(None, joins_adapters=False, **quiet())
    other = AdapterSession("trl", **quiet())
    run = other.begin()

    mine = with_folder.begin()

    assert mine is not run
    assert current_run(of_adapters=False) is None


def test_a_joined_run_can_be_asked_to_stop(until):
    with rv.init(project="mine", **quiet()) as mine:
        session = AdapterSession("trl", stop_on="critical")
        session.begin()
        assert not session.should_stop

        for step in range(400):
            mine.log({"train/loss": float("nan"), "train/reward": 0.0}, step=step)
        mine.flush()
        until(lambda: session.should_stop)

    assert rv.open_run(mine.folder).status == "stopped"


def test_a_missing_framework_says_what_to_install():
    with pytest.raises(MissingPackageError, match="pip install no-such-package"):
        needed("no_such_framework.part", install="no-such-package")


def test_a_framework_that_misses_something_of_its_own_says_that(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import some_dependency_of_it\n")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="some_dependency_of_it"):
        needed("half_installed", install="half-installed")
