"""Histories as lists in a text."""

from __future__ import annotations

import numpy as np
import pytest

import runvitals as rv
from runvitals.readers.discovery.discover import discover
from runvitals.readers.tabular import text_lists

CURVE = [round(2.0 / (i + 1), 4) for i in range(30)]


@pytest.mark.parametrize(
    "text",
    [
        f"train_loss: {CURVE}\nval_loss = {CURVE}\n",
        f"Results of Monday\n\n  train_loss={np.array(CURVE)}\nval_loss: {np.array(CURVE)}\n",
        f"train_loss = np.array({CURVE})\nval_loss: {CURVE}\nbest epoch: 3\n",
    ],
    ids=["lists", "printed arrays", "code"],
)
def test_lists_under_names_in_a_text(tmp_path, text):
    path = tmp_path / "results.txt"
    path.write_text(text)

    run = rv.open_run(path)

    assert run["train_loss"].values == pytest.approx(CURVE)
    assert len(run["val_loss"].steps) == 30


def test_a_printed_array_is_what_its_file_is_called(tmp_path):
    path = tmp_path / "train_losses.txt"
    path.write_text(np.array2string(np.array(CURVE)))

    assert rv.open_run(path)["train_losses"].values == pytest.approx(CURVE)


@pytest.mark.parametrize(
    "text",
    [
        "layers: [64, 64, 32]\nloss: [0.5, 0.4]\n",
        f"colours: {CURVE}\n",
        f"train_loss: [{', '.join(map(str, CURVE[:12]))}, ..., 0.1]\n",
        "train_loss: [[1, 2], [3, 4]]\n",
        "train_loss: [" + "word " * 30 + "]\n",
    ],
)
def test_other_lists_are_no_runs(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)

    assert list(discover(path)) == []


class Searched(str):
    """A text that counts the characters it was searched through."""

    looked_at = 0

    def find(self, wanted, begin=0, end=None):
        found = super().find(wanted, begin, len(self) if end is None else end)
        self.looked_at += (found if found >= 0 else len(self)) - begin + 1
        return found


@pytest.mark.parametrize("end", ["", "]"], ids=["no end", "one end"])
def test_brackets_that_never_close_cost_no_more_than_their_length(end):
    text = Searched("loss: [\n" * 2_000 + end)

    assert text_lists._lists(text, "a") == {}
    assert 0 < text.looked_at < 3 * len(text)
