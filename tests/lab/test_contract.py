import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.lab.notes import asked_in

import runvitals.lab
from runvitals.lab.contract import HEALTHY, LATE, STRENGTHS, Fault, Sickness
from runvitals.lab.instruments import FAULTS as PLANT_FAULTS
from runvitals.lab.registry import FILES, faults_of, trainer, trainers
from runvitals.model import ConfigError

LAB = Path(runvitals.lab.__file__).parent
HOT = Fault(
    "lr-hot",
    "P01",
    "learning rate too high",
    expect=("KL001",),
    doses={"mild": 3, "clear": 10, "gross": 100},
    change=lambda config, dose: {"learning_rate": config.learning_rate * dose},
)
FLIPPED = Fault("reward-sign", "P10", "reward sign flipped", expect=("REW011",), late=False)


@dataclass(frozen=True)
class Settings:
    learning_rate: float = 0.1


def test_a_late_fault_waits_for_its_onset() -> None:
    sick = Sickness([FLIPPED, HOT], "lr-hot", "gross", onset=LATE)

    sick.at(0.39)
    before = sick("lr-hot", otherwise=1.0), sick.settings(Settings()), sick.active
    sick.at(0.4)
    after = sick("lr-hot", otherwise=1.0), sick.settings(Settings()), sick.active

    assert before == (1.0, Settings(0.1), False)
    assert after == (100.0, Settings(10.0), True)


def test_other_faults_stay_off() -> None:
    sick = Sickness([FLIPPED, HOT], "reward-sign")

    assert sick("reward-sign") == 1.0
    assert sick("lr-hot") == 0.0
    assert sick.settings(Settings()) == Settings()


def test_a_healthy_run_has_no_fault_at_any_time() -> None:
    HEALTHY.at(1.0)

    assert not HEALTHY.active
    assert HEALTHY("whatever", otherwise=7.0) == 7.0


def test_a_switch_that_no_fault_declares_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="reward-sing"):
        Sickness([FLIPPED], "reward-sign")("reward-sing")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"name": "nothing"}, "one of: reward-sign, lr-hot"),
        ({"name": "reward-sign", "strength": "gross"}, "it has clear"),
        ({"name": "reward-sign", "onset": 0.4}, "only be there from the start"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(options, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Sickness([FLIPPED, HOT], **options)


def test_a_fault_is_found_by_its_code_too() -> None:
    assert Sickness([FLIPPED, HOT], "P01")("lr-hot") == 10.0


# all trainers


@pytest.mark.parametrize("name", FILES)
def test_a_trainer_is_complete(name: str) -> None:
    of = trainer(name)

    assert of.name == name
    assert of.tasks
    assert of.faults
    assert len(of.variants) >= 3
    for things in (of.tasks, of.variants, faults_of(of)):
        names = [thing.name for thing in things]
        assert len(set(names)) == len(names), f"a name is there twice in {names}"
        assert all(re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", word) for word in names)
    tasks = {task.name for task in of.tasks}
    for thing in (*of.faults, *of.variants):
        assert set(thing.tasks) <= tasks


@pytest.mark.parametrize("name", FILES)
def test_settings_of_tasks_variants_and_faults_exist(name: str) -> None:
    of = trainer(name)
    for task in of.tasks:
        config = of.config(**task.settings)
        for variant in of.variants:
            if not variant.tasks or task.name in variant.tasks:
                of.config(**{**task.settings, **variant.settings})
        for fault in of.faults:
            if not fault.tasks or task.name in fault.tasks:
                for strength in fault.doses:
                    Sickness(of.faults, fault.name, strength).settings(config)


@pytest.mark.parametrize("name", FILES)
def test_every_fault_is_a_setting_or_a_switch_that_can_be_found(name: str) -> None:
    stem = FILES[name][0]
    shared = [LAB / "off_policy.py", LAB / "envs" / "world.py"]
    source = "".join(file.read_text() for file in (*LAB.glob(f"{stem}*.py"), *shared))
    asked = asked_in(source)

    declared = {fault.name for fault in trainer(name).faults if fault.change is None}

    assert declared <= asked
    everything = {fault.name for of in trainers() for fault in of.faults}
    assert asked <= everything


@pytest.mark.parametrize("name", FILES)
def test_faults_say_what_should_name_them(name: str) -> None:
    for fault in faults_of(trainer(name)):
        assert fault.expect or fault.accept, fault.name
        assert re.fullmatch(r"[A-Z]\d\d", fault.code), fault.name
        assert set(fault.doses) <= set(STRENGTHS)
        assert "clear" in fault.doses
        for rule in (*fault.expect, *fault.accept):
            assert re.fullmatch(r"[A-Z]{2,6}\d{3}", rule), f"{fault.name}: {rule}"


def test_the_lab_has_at_least_sixty_different_faults() -> None:
    codes = {fault.code for of in trainers() for fault in faults_of(of)}

    assert len(codes) >= 60
    assert {fault.code for fault in PLANT_FAULTS} <= codes
