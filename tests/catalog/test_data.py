"""The catalog's data holds together."""

import re
from collections import defaultdict
from itertools import chain, combinations
from pathlib import Path

import pytest
from tests.catalog import reference_pages

from runvitals.catalog import (
    CHAPTERS,
    CONFIG_KEYS,
    FRAMEWORKS,
    GROUPS,
    METRICS,
    SCENARIOS,
    SYMPTOMS,
    TERMS,
    find_term,
    group_of,
    listed,
    metric,
)
from runvitals.catalog.definitions.kinds import KINDS
from runvitals.catalog.resolving.aliases import parse_transform
from runvitals.catalog.resolving.wording import stems
from runvitals.rules.registry import rules

ROOT = Path(__file__).parents[2]


def test_every_alias_points_to_a_metric():
    lost = [
        (tool.id, alias.name, alias.metric)
        for tool in FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric is not None and metric(alias.metric) is None
    ]
    assert lost == []


def test_a_name_means_one_thing_within_a_tool_algorithm_and_release():
    seen = defaultdict(set)
    for tool in FRAMEWORKS.values():
        for alias in tool.aliases:
            for algorithm in alias.algorithms or ("",):
                seen[tool.id, alias.name, algorithm, alias.versions].add(
                    (alias.metric, alias.scale, alias.transform)
                )
    assert [key for key, claims in seen.items() if len(claims) > 1] == []


def test_every_metric_that_another_mentions_exists():
    lost = [
        (one.id, other)
        for one in METRICS.values()
        for other in (*one.related, *one.not_the_same_as)
        if metric(other) is None or other == one.id
    ]
    assert lost == []


def test_every_metric_says_what_it_is():
    for one in METRICS.values():
        assert one.meaning, one.id
        assert one.unit, one.id
        assert one.direction in {"higher", "lower", "target", "neutral"}, one.id
        assert re.fullmatch(r"[a-z]+(/[a-z0-9_]+)+", one.id), one.id
        assert group_of(one.id) in GROUPS, one.id


def test_no_band_without_reason_and_source():
    for one in METRICS.values():
        for band in one.healthy:
            assert band.why, one.id
            assert band.source, one.id
            assert band.low is not None or band.high is not None, one.id
            assert set((band.config_key or "").split()) <= set(CONFIG_KEYS), one.id
            assert set(band.tools) <= set(FRAMEWORKS), one.id
            assert set(band.kinds) <= {*KINDS, *chain(*KINDS.values())}, one.id
            assert not band.unless or band.unless in METRICS, one.id


@pytest.mark.parametrize(
    ("metric_id", "low", "high"),
    [
        ("policy/clip_fraction", None, 0.2),
        ("policy/clip_fraction", 0.1, 0.3),
        ("policy/approx_kl", None, 0.05),
        ("policy/approx_kl", None, 0.02),
        ("policy/kl_ref_sequence", 0.01, 0.1),
        ("policy/kl_ref", 0.01, 0.1),
        ("policy/ratio_mean", None, 200.0),
        ("policy/entropy", 0.5, None),
        ("policy/temperature", 0.5, 2.0),
        ("value/explained_variance", 0.8, None),
        ("reward/var", None, 0.01),
        ("reward/mean", 0.7, None),
        ("throughput/generation_tokens_per_s", 1.0, None),
        ("throughput/mfu", 0.5, 0.6),
        ("throughput/mfu", 0.3, None),
        ("system/gpu_utilization_percent", 50.0, None),
        ("system/memory_percent", None, 90.0),
        ("preference/accuracy", None, 0.99),
        ("policy/grad_norm", None, 10.0),
        ("optim/grad_norm", None, 10.0),
        ("advantage/mean", -0.1, 0.1),
        ("reward/trend", 0.0, None),
        ("optim/loss_trend", 0.0, None),
    ],
)
def test_thresholds_of_the_documents_are_there(metric_id, low, high):
    assert (low, high) in [(band.low, band.high) for band in METRICS[metric_id].healthy]


@pytest.mark.parametrize(
    ("metric_id", "low", "high"),
    [
        ("mismatch/prob_diff_mean", None, 0.01),
        ("mismatch/k3_kl", None, 0.001),
        ("mismatch/is_weight_mean", 0.5, 2.0),
        ("mismatch/effective_sample_size", 0.3, None),
        ("agent/error_rate", None, 0.05),
    ],
)
def test_thresholds_that_tools_publish_are_there(metric_id, low, high):
    assert (low, high) in [(band.low, band.high) for band in METRICS[metric_id].healthy]


def test_most_metrics_say_what_to_watch_for():
    silent = [one.id for one in METRICS.values() if not one.watch_for]
    assert len(silent) < len(METRICS) / 5, silent
    assert [one.id for one in METRICS.values() if one.watch_for and not one.title] == []
    texts = [one.watch_for for one in METRICS.values() if one.watch_for]
    assert [text for text in texts if not text.endswith(".")] == []
    assert len(set(texts)) == len(texts)


def test_limits_of_the_run_override_bands():
    keys = {
        (one.id, band.config_key)
        for one in METRICS.values()
        for band in one.healthy
        if band.config_key
    }
    assert {
        ("policy/approx_kl", "target_kl"),
        ("policy/entropy", "entropy_min"),
        ("policy/grad_norm", "max_grad_norm"),
        ("optim/grad_norm", "max_grad_norm"),
        ("policy/kl_ref_sequence", "target_kl_ref"),
    } <= keys


def test_every_transform_parses():
    for tool in FRAMEWORKS.values():
        for alias in tool.aliases:
            if alias.transform:
                assert parse_transform(alias.transform)(2.0) is not None


def test_lists_and_symptoms_name_metrics_that_exist():
    lists = (*SCENARIOS.values(), *CHAPTERS.values())
    named = [one.metric for s in lists for g in s.groups for one in listed(s, g)]
    named += [m for s in SYMPTOMS for m in (*s.check_first, *s.then_check)]
    assert [m for m in named if metric(m) is None] == []


def test_a_list_begins_with_what_its_document_has_in_the_order_of_the_document():
    for scenario in SCENARIOS.values():
        for group in scenario.groups:
            assert tuple(one.metric for one in listed(scenario, group)) == group.metrics, (
                group.title
            )


def test_symptoms_name_rules_that_exist():
    assert {code for symptom in SYMPTOMS for code in symptom.rules} <= set(rules())
    assert all(symptom.rules for symptom in SYMPTOMS)


def test_no_two_symptoms_are_worded_alike():
    said = [(one.sign, {stems(text) for text in (one.sign, *one.also)}) for one in SYMPTOMS]

    alike = [(a, b) for (a, one), (b, two) in combinations(said, 2) if one & two]

    assert alike == []


def test_symptoms_say_what_to_do():
    for symptom in SYMPTOMS:
        assert symptom.check_first, symptom.sign
        assert symptom.likely, symptom.sign
        assert symptom.advice, symptom.sign
        assert symptom.source, symptom.sign


@pytest.mark.parametrize(
    "word",
    [
        "policy",
        "value function",
        "advantage",
        "return",
        "entropy",
        "KL divergence",
        "clipping",
        "GAE",
        "explained variance",
        "MFU",
    ],
)
def test_the_glossary_has_the_words_of_the_documents(word):
    assert find_term(word.upper()) is TERMS[word]


def test_inherited_tools_exist():
    for tool in FRAMEWORKS.values():
        assert set(tool.inherits) <= set(FRAMEWORKS), tool.id


def test_hints_are_unique():
    hints = [h.casefold() for tool in FRAMEWORKS.values() for h in {tool.id, *tool.names}]
    assert sorted(hints) == sorted(set(hints))


def test_config_aliases_are_unique():
    aliases = [a for key in CONFIG_KEYS.values() for a in {key.id, *key.aliases}]
    assert sorted(aliases) == sorted(set(aliases))


def test_the_reference_pages_are_current():
    for name, text in reference_pages.render().items():
        page = ROOT / "docs" / "reference" / name
        assert page.read_text(encoding="utf-8") == text, (
            "run python -m tests.catalog.reference_pages"
        )
