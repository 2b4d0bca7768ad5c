"""Names in logs that people published, against labels made by hand; and tools the catalog never saw.

The floors lie a little below what is reached (`python -m benchmarks.names_measured -v` shows it). Raise
them when the figures rise; a change that needs one lowered has broken something.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from benchmarks.labelled import FILE, Labels, read_labels
from benchmarks.names_measured import (
    CORPUS,
    FOLDERS,
    Measure,
    measure_folder,
    measure_left_out,
    measure_names,
)

from runvitals.catalog import FRAMEWORKS, metric
from runvitals.model import Binding


def labels(names, outcomes=()):
    return Labels("a/log", frozenset(), frozenset(), True, True, frozenset(outcomes), names)


def counted(names, bound, outcomes=()):
    result = Measure()
    said = [(name, Binding(one) if one else None) for name, one in bound.items()]
    measure_names(labels(names, outcomes), said, result)
    return result.names


@pytest.fixture(scope="module")
def both():
    return sum((measure_folder(CORPUS, folder) for folder in FOLDERS), Measure())


@pytest.fixture(scope="module")
def left_out():
    return sum(measure_left_out().values(), Measure())


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


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public logs lie outside the repository")
class TestPublicLogs:
    @pytest.mark.parametrize(
        ("part", "whole", "least"),
        [
            ("open", "hold a run", 0.98),
            ("tool right", "known tool", 0.91),
            ("algorithm right", "known algorithm", 0.85),
            ("understood", "meaningful", 0.93),
        ],
    )
    def test_they_are_understood(self, both, part, whole, least):
        missed = [m for m in both.mistakes if "wrong" not in m.kind]

        assert both.share(part, whole) >= least, missed

    def test_no_outcome_is_taken_for_another(self, both):
        assert [m for m in both.mistakes if m.kind == "outcome wrong"] == []

    def test_hardly_any_other_name_is_misread(self, both):
        wrong = [m for m in both.mistakes if m.kind == "other wrong"]

        assert both.share("other wrong", "bound") <= 0.005, wrong

    def test_an_own_loop_is_not_taken_for_a_tool(self, both):
        assert [m for m in both.mistakes if m.kind == "tool of an own loop"] == []


class TestAToolTheCatalogNeverSaw:
    def test_many_of_its_names_are_understood(self, left_out):
        assert left_out.share("understood", "meaningful") >= 0.55

    def test_hardly_any_is_misread(self, left_out):
        assert left_out.share("other wrong", "meaningful") <= 0.04, left_out.mistakes
