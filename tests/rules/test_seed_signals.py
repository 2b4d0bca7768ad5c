"""Every signal that the founding documents name is carried by a rule that runs by default."""

import re
from pathlib import Path

import pytest

from runvitals.rules.registry import rules

TRACE = Path(__file__).parents[3] / "shared" / "reference" / "rules.md"
ROW = re.compile(r"^\| (?P<signal>[^|]+) \| (?P<carriers>[^|]+) \|$", re.MULTILINE)
CODE = re.compile(r"[A-Z]+[0-9]{3}")


@pytest.mark.skipif(not TRACE.exists(), reason="the reference documents are not here")
def test_each_signal_has_its_rules():
    text = TRACE.read_text()
    section = text[text.index("## 4. Trace") : text.index("## 5.")]
    carried = {row["signal"]: CODE.findall(row["carriers"]) for row in ROW.finditer(section)}
    stable = {code for code, rule in rules().items() if not rule.preview}

    assert len(carried) > 80
    missing = {signal: set(codes) - stable for signal, codes in carried.items()}
    assert {signal: codes for signal, codes in missing.items() if codes} == {}
