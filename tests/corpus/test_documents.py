"""What the founding documents and the reference name is in the catalog, the rules and on our page."""

import re

from tests.outside import outside
from tests.requirements.items import documents

from runvitals.catalog import METRICS
from runvitals.rules.registry import rules

REFERENCE, SEEDS = outside("reference"), outside("seeds")
DOCUMENTS = documents()
TEXTS = {  # by the number in front of their names
    document.title: next(SEEDS.glob(f"{document.key[:3]}_*")).read_text(encoding="utf-8")
    for document in DOCUMENTS
}
ROW = re.compile(r"^\| (?P<signal>[^|]+) \| (?P<carriers>[^|]+) \|$", re.MULTILINE)
IN_THEIR_CODE = re.compile(r"\.\w+:\d|\[")  # a line of a file, a key of a dictionary
CODE = re.compile(r"[A-Z]+[0-9]{3}")


def test_every_canonical_metric_of_the_reference_is_there():
    text = (REFERENCE / "canonical.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z0-9_/]+)` \| .* \| ([^|]*) \| (\w+) \| (\w+) \|$", text, re.M)
    wrong = [
        name
        for name, unit, direction, category in rows
        if name not in METRICS
        or (METRICS[name].unit, METRICS[name].direction, METRICS[name].category)
        != (unit.strip(), direction, category)
    ]
    assert len(rows) > 400
    assert wrong == []


def test_every_name_that_the_documents_mark_as_code_is_on_the_page():
    lost = []
    for document in DOCUMENTS:
        page = "\n".join(item.text for item in document.items)
        lines = TEXTS[document.title].replace("```", "").splitlines()
        marked = {name for line in lines for name in re.findall(r"`([^`]+)`", line)}
        marked = {name for name in marked if not IN_THEIR_CODE.search(name)}
        lost += sorted(name for name in marked if name not in page)

    assert lost == []


def test_items_are_in_the_words_of_their_document():
    """So that nothing is asked for in words that fit what is there."""
    strange = []
    for document in DOCUMENTS:
        known = set(re.findall(r"[a-z0-9]+", TEXTS[document.title].lower()))
        for item in document.items:
            words = [word for word in re.findall(r"[a-z0-9]+", item.text.lower()) if len(word) > 3]
            if sum(word in known for word in words) < 0.6 * len(words):
                strange.append((document.key, item.text))

    assert strange == []


def test_every_name_in_the_tables_of_the_glossary_is_on_the_page():
    text = TEXTS["Training Metrics Glossary"]
    [glossary] = [one for one in DOCUMENTS if one.title == "Training Metrics Glossary"]
    listed = {item.text.strip("`") for item in glossary.items}
    heads = "val-core|val-aux|actor|critic|response_length|prompt_length|response|loss|rewards|rm|"
    heads += (
        "num_turns|global_seqlen|timing_s|timing_per_token_ms|perf|lr_scheduler|policy|objective"
    )

    named = set(re.findall(rf"(?<![\w/])(?:{heads})/[\w*@/|-]*[\w*]", text))
    named = {name for name in named if "|" not in name}  # choices stand on the page one by one

    assert len(named) > 60
    lost = (
        named - listed - {name for name in named if name.removesuffix("hits") in listed}
    )  # a slip
    assert sorted(lost) == []


def test_each_signal_has_its_rules():
    text = (REFERENCE / "rules.md").read_text(encoding="utf-8")
    section = text[text.index("## 4. Trace") : text.index("## 5.")]
    carried = {row["signal"]: CODE.findall(row["carriers"]) for row in ROW.finditer(section)}
    stable = {code for code, rule in rules().items() if not rule.preview}

    assert len(carried) > 80
    missing = {signal: set(codes) - stable for signal, codes in carried.items()}
    assert {signal: codes for signal, codes in missing.items() if codes} == {}
