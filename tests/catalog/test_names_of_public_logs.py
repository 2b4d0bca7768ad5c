"""How names of logs that people published are labelled and counted; and tools the catalog never saw.

`tests/corpus/test_names.py` reads the logs themselves. The floors lie a little below what
`python -m benchmarks.reading.names_left_out` shows.
"""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from benchmarks.reading import names_left_out
from benchmarks.reading.labelled_names import FILE, Labels, read_labels
from benchmarks.reading.name_verdicts import FAIR, SAME, Measure, fair, measure_names
from benchmarks.reading.plausible import numbers_of

from runvitals.catalog import FRAMEWORKS, metric
from runvitals.model import Binding

ALIKE_UNITS = {"loss": {"loss", "nat"}, "score": {"score", "ratio"}, "step": {"step", "round"}}
ALIKE_UNITS["round"] = ALIKE_UNITS["step"]


def labels(names, outcomes=()):
    return Labels("a/log", frozenset(), frozenset(), True, True, frozenset(outcomes), names)


def counted(names, bound, outcomes=()):
    result = Measure()
    said = [(name, Binding(one) if one else None) for name, one in bound.items()]
    measure_names(labels(names, outcomes), said, result)
    return result.names


@pytest.fixture(scope="module")
def listed():
    return sum(names_left_out.listed().values(), Measure())


class TestTheLabels:
    def test_each_meaning_is_a_metric_of_the_catalog(self):
        every = [one for log in read_labels().values() for one in log.names.values()]
        ids = {i for told in every for i in (told if isinstance(told, list) else [told])}

        assert [i for i in ids - {None, "?"} if metric(i) is None] == []

    def test_each_tool_is_one_of_the_catalog(self):
        tools = {tool for log in read_labels().values() for tool in log.tools}

        assert tools - set(FRAMEWORKS) == set()

    def test_each_outcome_has_a_meaning(self):
        unknown = [
            (log.log, name)
            for log in read_labels().values()
            for name in log.outcomes
            if (meaning := log.meaning(name)) is not None and not meaning.metrics
        ]

        assert unknown == []

    def test_no_log_is_in_two_groups(self):
        groups = json.loads(FILE.read_text(encoding="utf-8"))["groups"]

        logs = Counter(log for group in groups for log in group["logs"])

        assert [log for log, times in logs.items() if times > 1] == []

    def test_a_line_may_cover_many_names(self):
        told = labels({"gpu.{n}.temp": "system/gpu_temperature_c", "rewards/{x}": None})

        assert told.meaning("gpu.17.temp").key == "gpu.{n}.temp"
        assert told.meaning("rewards/format").key == "rewards/{x}"
        assert told.meaning("rewards/format/mean") is None


class TestTheMeasure:
    def test_any_of_several_meanings_is_right(self):
        found = counted({"loss": ["lm/loss", "optim/loss"]}, {"loss": "optim/loss"})

        assert (found["understood"], found["meaningful"], found["other wrong"]) == (1, 1, 0)

    def test_a_name_without_a_meaning_may_not_get_one(self):
        found = counted({"Throughput": None}, {"Throughput": "throughput/tokens_per_s"})

        assert (found["other wrong"], found["meaningful"]) == (1, 0)

    def test_a_general_metric_says_nothing(self):
        found = counted(
            {"wait": None, "len": "length/response_mean"},
            dict.fromkeys(["wait", "len"], "env/metric"),
        )

        assert (found["other wrong"], found["other missed"], found["open"]) == (0, 1, 1)

    def test_an_outcome_taken_for_another_is_counted_apart(self):
        found = counted({"score": "outcome/score_mean"}, {"score": "value/loss"}, ["score"])

        assert (found["outcome wrong"], found["other wrong"]) == (1, 0)

    def test_what_is_no_outcome_taken_for_one_counts_too(self):
        found = counted({"baseline_reward": None}, {"baseline_reward": "reward/mean"})

        assert found["outcome wrong"] == 1

    def test_names_of_one_line_count_once_and_at_their_worst(self):
        found = counted(
            {"gpu.{n}.temp": "system/gpu_temperature_c"},
            {"gpu.0.temp": "system/gpu_temperature_c", "gpu.1.temp": "system/gpu_power_w"},
        )

        assert (found["names"], found["other wrong"], found["understood"]) == (1, 1, 0)

    def test_what_nobody_can_tell_is_left_out(self):
        found = counted({"memory_gb": "?"}, {"memory_gb": "system/memory_used_gb"})

        assert (found["meaningful"], found["other wrong"], found["bound"]) == (0, 0, 0)

    def test_a_name_without_a_label_is_told(self):
        assert counted({}, {"new": "optim/loss"})["unlabelled"] == 1


class TestWhatIsFair:
    def test_everything_named_there_is_a_metric(self):
        ids = {one for pair in SAME for one in pair} | set(FAIR)
        ids |= {one for several in FAIR.values() for one in several.split()}

        assert [one for one in ids if metric(one) is None] == []

    def test_a_fair_reading_has_the_unit_of_the_metric(self):
        units = [
            (found, one, metric(found).unit, metric(one).unit)
            for found, several in FAIR.items()
            for one in several.split()
        ]

        assert [
            pair for pair in units if not {pair[2], pair[3]} <= ALIKE_UNITS.get(pair[2], {pair[2]})
        ] == []

    def test_a_loss_may_be_told_without_saying_what_is_trained_but_not_otherwise(self):
        assert fair("preference/loss", "optim/loss")
        assert not fair("optim/loss", "preference/loss")
        assert not fair("policy/kl_ref_sequence", "policy/kl_ref")

    def test_the_numbers_that_names_get_are_of_their_kind(self):
        assert np.all(np.diff(numbers_of("progress/tokens")) >= 0)
        assert np.all(
            (numbers_of("outcome/success_rate") >= 0) & (numbers_of("outcome/success_rate") <= 1)
        )
        assert np.all(np.diff(numbers_of("optim/learning_rate")) <= 0)
        assert np.any(np.diff(numbers_of("data/tokens_per_step")) < 0)


class TestAToolTheCatalogNeverSaw:
    def test_many_of_its_names_are_understood(self, listed):
        assert listed.share("understood", "meaningful") >= 0.56

    def test_few_are_misread(self, listed):
        assert listed.share("other wrong", "meaningful") <= 0.042, listed.mistakes
