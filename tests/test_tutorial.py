"""The tutorial notebook runs from top to bottom, and its live display is drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import runvitals as rv
from runvitals.model import ConfigError

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tutorial.ipynb"


class Counting(NotebookClient):
    """Counts how often an output that is there is replaced."""

    updates = 0

    def process_message(self, msg: dict[str, Any], *args: Any) -> Any:
        self.updates += msg["msg_type"] == "update_display_data"
        return super().process_message(msg, *args)


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> Counting:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = str(tmp_path_factory.mktemp("tutorial"))
    client = Counting(notebook, timeout=1200, resources={"metadata": {"path": folder}})
    client.execute()  # raises with the traceback of a cell that fails
    return client


def outputs(client: Counting) -> list[str]:
    """What each cell shows, as HTML or text."""
    shown = []
    for cell in client.nb.cells:
        parts = cell.get("outputs", [])
        texts = [p.get("text") or p["data"].get("text/html", "") for p in parts]
        shown.append("".join(texts))
    return shown


def test_the_display_is_drawn_anew_and_ends_with_the_verdict(executed):
    live = next(text for text in outputs(executed) if text.startswith("<"))

    assert executed.updates >= 1
    assert "healthy" in live
    assert "finished" in live
    assert "outcome/return_mean rose" in live


def test_the_sick_run_is_told_from_the_healthy_one(executed):
    [words] = [text for text in outputs(executed) if text.startswith("healthy ")]

    healthy, sick = words.splitlines()
    assert healthy == "healthy  learned: []"
    assert sick.startswith("sick     collapsed: ['REW003'")


def test_outside_of_a_notebook_show_says_what_to_use():
    from runvitals.testing import make_run

    with pytest.raises(ConfigError, match="runvitals watch"):
        rv.show(make_run({"loss": [1.0, 0.5]}))
