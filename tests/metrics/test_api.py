from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from runvitals import metrics
from runvitals.metrics import naming


def test_importing_metrics_imports_no_array_library_but_numpy():
    code = (
        "import sys, runvitals.metrics as m\n"
        "m.approx_kl([0.0], [0.0]); m.ppo_health([0.0], [0.0])\n"
        "heavy = {'torch', 'jax', 'scipy', 'pandas', 'pyarrow'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_public_name_hides_a_module():
    modules = {m.name for m in pkgutil.iter_modules(metrics.__path__)}

    assert modules & set(metrics.__all__) == set()


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_public_name_is_documented_with_an_example(name):
    found = getattr(metrics, name)

    doc = inspect.getdoc(found) or ""

    assert doc.strip()
    needs_none = {"ClipFractions", "Advantages", "ValidationScore"}
    assert name in needs_none or ">>>" in doc


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        metrics.nonsense  # noqa: B018


def test_dir_lists_the_public_names():
    assert set(metrics.__all__) <= set(dir(metrics))


def test_labels_round_trip():
    name = metrics.labelled("eval/mean_at_n", dataset="math", n=8)

    assert naming.split_labels(name) == ("eval/mean_at_n", {"dataset": "math", "n": "8"})
    assert naming.split_labels("policy/loss") == ("policy/loss", {})


def test_the_guide_runs():
    guide = Path(__file__).parents[2] / "docs" / "metrics" / "guide.md"
    blocks = guide.read_text(encoding="utf-8").split("```python\n")[1:]
    assert len(blocks) >= 5
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block.split("```")[0], str(guide), "exec"), scope)
