"""The page of a sweep, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv

from .conftest import QUIET, serving, sync_api

expect = sync_api.expect
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard over twelve runs with three learning rates, of which the highest collapses."""
    folder: Path = tmp_path_factory.mktemp("swept")
    rng = np.random.default_rng(0)
    for number in range(12):
        rate = (1e-4, 1e-3, 1e-1)[number % 3]
        config = {"learning_rate": rate, "seed": number // 3, "clip_range": 0.2}
        with rv.init(
            "cart", f"run{number}", dir=folder, algorithm="PPO", config=config, **QUIET
        ) as run:
            for i in range(60):
                level = 10.0 if rate > 0.01 and i > 30 else 5.0 * i
                run.log({"outcome/return_mean": level + rng.normal()}, step=1000 * i)
    with serving(folder) as at:
        yield at


def test_a_region_keeps_its_runs_in_every_panel(open_page: Open, swept: str) -> None:
    page = open_page(f"{swept}#/sweep", width=1440)
    region = page.get_by_role("button", name="learning_rate ≥ 0.1")
    expect(region).to_be_visible()
    expect(page.locator("path.run")).to_have_count(12)
    expect(page.get_by_role("row").filter(has=region)).to_contain_text("4 of 4")

    region.click()

    expect(page.get_by_text("4 of 12 runs", exact=True)).to_be_visible()
    expect(page.locator("path.run.faded")).to_have_count(8)
    expect(page.locator("a path.faded:not(.run)")).to_have_count(8)
    expect(page.get_by_role("link", name="Show 4 as runs")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("path.run.faded")).to_have_count(0)


def test_the_runs_that_are_kept_are_found_in_the_list(open_page: Open, swept: str) -> None:
    page = open_page(f"{swept}#/sweep?project=cart", width=1440)
    page.get_by_role("button", name="learning_rate ≥ 0.1").click()

    page.get_by_role("link", name="Show 4 as runs").click()

    expect(page.locator("a.name")).to_have_count(4)


def test_a_drag_along_an_axis_keeps_a_range(open_page: Open, swept: str) -> None:
    page = open_page(f"{swept}#/sweep", width=1440)
    axis = page.locator("rect.handle").first
    expect(axis).to_be_visible()
    box = axis.bounding_box()
    x = box["x"] + box["width"] / 2

    page.mouse.move(x, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] * 0.3, steps=4)
    page.mouse.up()

    expect(page.get_by_text("4 of 12 runs", exact=True)).to_be_visible()
    assert "keep=learning_rate" in page.url


def test_what_mattered_puts_a_setting_on_the_axis(open_page: Open, swept: str) -> None:
    page = open_page(f"{swept}#/sweep", width=1440)
    mattered = page.locator("section").filter(has_text="What mattered")
    expect(mattered.get_by_role("listitem").first).to_contain_text("learning_rate")
    expect(mattered).to_contain_text("on runs held out")

    mattered.get_by_role("button", name="seed").click()

    expect(page.get_by_role("group", name="of 12 runs over seed")).to_be_visible()


def test_a_verdict_is_hidden_by_a_click(open_page: Open, swept: str) -> None:
    page = open_page(f"{swept}#/sweep", width=1440)

    page.get_by_role("button", name="collapsed 4").click()

    expect(page.get_by_text("8 of 12 runs", exact=True)).to_be_visible()


def test_seeds_of_a_combination_are_one_line_that_keeps_its_runs(
    open_page: Open, swept: str
) -> None:
    page = open_page(f"{swept}#/sweep", width=1440)
    table = page.get_by_role("region", name="Combinations")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table.locator("tbody tr").last).to_contain_text("4 of 4")

    table.get_by_role("button", name="3").click()

    expect(page.get_by_text("4 of 12 runs", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("keep=learning_rate"))


def test_two_settings_are_drawn_against_each_other_and_a_run_is_pointed_at_in_both_panels(
    open_page: Open, swept: str
) -> None:
    page = open_page(f"{swept}#/sweep?x=learning_rate", width=1440)
    page.get_by_label("Along y").select_option("seed")

    marks = page.get_by_role("group", name="seed of 12 runs over learning_rate").locator("a")
    expect(marks).to_have_count(12)
    marks.first.hover()
    expect(page.locator("path.run.pointed")).to_have_count(1)
