"""Characters that nobody would see, or that turn text around, are shown as codes."""

from __future__ import annotations

import json
import unicodedata

import pytest

from runvitals.view.json_safe import json_safe, visible

EVIL = "safe\u202e\u2066gnp.exe\u200b\x1b[2J\u00ad\U000e0041"


@pytest.mark.parametrize(
    "text",
    ["plain", "a\tb\nc\r\n", "Grüße, 世界", "👩\u200d🔬 ❤\ufe0f", "می\u200cخواهم", "क्\u200dष"],
    ids=["ascii", "lines", "letters", "emoji", "persian", "hindi"],
)
def test_honest_text_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    "letter", ["\u200d", "\u200c", "\ufe0f"], ids=["joiner", "not", "selector"]
)
def test_a_joiner_among_latin_letters_is_shown(letter):
    assert visible(f"ad{letter}min") == f"ad\\u{ord(letter):04x}min"


def test_no_character_that_formats_or_controls_gets_through():
    kept = {"\t", "\n", "\r"}
    hidden = [chr(i) for i in range(0x110000) if unicodedata.category(chr(i)) in ("Cc", "Cf")]
    prefixed = [c for c in hidden if c not in kept and visible(f"x{c}") == f"x{c}"]

    assert [
        c for c in prefixed if unicodedata.bidirectional(c) not in ("AN", "AL", "L", "NSM")
    ] == []


def test_half_a_character_becomes_a_question_mark():
    assert json_safe({"a\udcff": ["\ud800"]}) == {"a?": ["?"]}


def test_no_part_of_a_run_hides_anything(site, start, series):
    run = start(name=EVIL, tags=[EVIL], notes=EVIL, config={EVIL: EVIL, "group": EVIL})
    for i in range(5):
        run.log({EVIL: float(i), f"progress/{EVIL}": float(i)}, step=i)
    run.log_samples({"prompt": EVIL, EVIL: [EVIL]}, step=1)
    run.log_text(EVIL, EVIL, step=1)
    run.log_histogram(EVIL, [1.0, 2.0], step=1)
    run.finish()
    (run.folder / "training.log").write_text(EVIL)
    client = site()
    shown = visible(EVIL)
    url = f"/api/runs/{client.id_of(shown)}"

    page = client.get(url).json()
    answers = [client.get(url + rest) for rest in ("", "/samples", "/console", "/events")]
    answers += [client.get("/api/runs"), client.get("/api/compare", params={"run": page["id"]})]
    heat = client.get(f"{url}/histograms", params={"name": shown})

    for answer in [*answers, heat]:
        assert answer.status_code == 200
        text = json.dumps(answer.json(), ensure_ascii=False)
        assert visible(text) == text, answer.url
    [key] = [n["key"] for c in page["charts"] for n in c["names"] if n["name"] == shown][:1]
    assert series(client, shown, key)[key]["value"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert page["full_config"][shown] == shown
