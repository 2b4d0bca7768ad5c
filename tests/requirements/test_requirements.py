"""Every item of the five documents is served by something that is there."""

from __future__ import annotations

import pytest

from runvitals import catalog
from runvitals.requirements import DOCUMENTS
from runvitals.requirements.__main__ import PAGE, render
from runvitals.requirements.references import exists
from runvitals.view.knowledge.look_up import look_up

ITEMS = [(document, item) for document in DOCUMENTS for item in document.items]
METRICS = [(document, item) for document, item in ITEMS if item.kind == "metric"]
# Kinds that `runvitals explain` answers, as the page says.
EXPLAINED = [one for one in ITEMS if one[1].kind in ("sign", "list", "word", "setting")]


def names(pairs):
    return [f"{document.title}: {item.text}" for document, item in pairs]


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == render(), "run python -m runvitals.requirements"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.title)
def test_whatever_serves_an_item_exists(document):
    lost = [
        (item.text, ref) for item in document.items for ref in item.served_by if not exists(ref)
    ]
    assert lost == []


@pytest.mark.parametrize(
    "reference",
    [
        "rule:KL999",
        "metric:no/such",
        "range:progress/step",
        "list:ppo-grpo/Nothing",
        "symptom:Nothing is wrong",
        "word:nothing",
        "setting:nothing",
        "command:nothing",
        "format:nothing",
        "lab:scheduler/nothing",
        "python:runvitals.nothing",
        "page:nothing.md",
        "nothing:at-all",
    ],
)
def test_a_reference_that_leads_nowhere_is_noticed(reference):
    assert not exists(reference)


@pytest.mark.parametrize(("document", "item"), METRICS, ids=names(METRICS))
def test_a_name_of_a_document_is_the_metric_that_is_said(document, item):
    metric = item.served_by[0].removeprefix("metric:")
    resolved = (catalog.resolve(item.text, framework=tool) for tool in document.tools)

    [found, *_] = [one for one in resolved if one is not None]
    answer = look_up(item.text, None, None)

    assert found.metric == metric
    said = [answer.get("metric"), *(one["metric"] for one in answer.get("candidates", ()))]
    assert metric in said, "explain has to know it without the tool"


@pytest.mark.parametrize(("document", "item"), EXPLAINED, ids=names(EXPLAINED))
def test_what_a_document_says_can_be_looked_up(document, item):
    answer = look_up(item.text.replace("`", ""), None, None)

    for ref in item.served_by:
        kind, _, name = ref.partition(":")
        if kind == "symptom" and item.kind == "sign":
            assert name in [one["sign"] for one in answer["symptoms"]]
        elif kind == "word" and item.kind == "word" and item.text.count(",") != 2:
            assert answer["term"]["word"] == name
        elif kind == "setting" and item.kind == "setting":
            assert answer["settings"]


def test_a_range_is_from_the_document_that_asks_for_it():
    other = [
        (document.title, item.text, ref)
        for document, item in ITEMS
        if item.kind == "range"
        for ref in item.served_by
        if ref.startswith("range:")
        and not any(
            document.title in band.source
            for band in catalog.METRICS[ref.removeprefix("range:")].healthy
        )
    ]
    assert other == []


def test_every_sign_has_a_rule_or_a_symptom():
    silent = [
        (document.title, item.text)
        for document, item in ITEMS
        if item.kind == "sign"
        and not any(r.startswith(("rule:", "symptom:")) for r in item.served_by)
    ]
    assert silent == []


def test_an_item_stands_once_in_a_section():
    for document in DOCUMENTS:
        for part in document.parts:
            texts = [(item.kind, item.text) for item in part.items]
            assert len(texts) == len(set(texts)), part.title
