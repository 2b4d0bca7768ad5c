"""Runs side by side."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import runvitals as rv

from .conftest import QUIET, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
Serve = Callable[[Path], str]
PATIENCE = 600_000  # milliseconds; a busy machine takes its time


def ids(page: Any, *names: str) -> str:
    """The part of an address that names these runs."""
    listed = page.request.get(f"{page.url.split('#')[0]}api/runs").json()["runs"]
    found = {row["name"]: row["id"] for row in listed}
    return "&".join(f"run={found[name]}" for name in names)


def section(page: Any, title: str) -> Any:
    return page.get_by_role("region", name=title)


def test_runs_are_compared_with_any_of_them_and_as_groups_of_seeds(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}#/runs?q=good|sick")
    expect(page.get_by_text("collapsed").nth(1)).to_be_visible(timeout=PATIENCE)
    page.goto(f"{address}#/compare?{ids(page, 'good-0', 'good-1', 'sick')}")

    settings, values = section(page, "Settings that differ"), section(page, "At the end")
    expect(settings.get_by_role("rowheader")).to_have_text(["learning_rate", "seed"])
    expect(section(page, "Findings side by side").get_by_role("link").first).to_be_visible()
    episode = values.get_by_role("row").filter(has_text="Average episode return")
    expect(episode.get_by_role("cell").nth(2)).to_contain_text(re.compile("−(99|100) %"))
    page.get_by_label("against").select_option(label="lr 0.003 · seed 0")
    expect(episode.get_by_role("cell").nth(2)).not_to_contain_text("%")
    expect(page).to_have_url(re.compile("base="))

    page.get_by_role("button", name="Seeds together").click()
    expect(values.get_by_role("columnheader").nth(1)).to_contain_text("2 runs")
    expect(page.get_by_text("lr 0.0003 (2)").first).to_be_visible()
    page.get_by_label("Line of a group").select_option("median")
    expect(page).to_have_url(re.compile("center=median"))
    page.reload()
    expect(page.get_by_label("Line of a group")).to_have_value("median")


def test_a_run_keeps_its_colour_while_others_come_and_go(open_page: Open, address: str) -> None:
    page = open_page(address)
    expect(page.get_by_role("link", name="sick")).to_be_visible()
    page.goto(f"{address}#/compare?{ids(page, 'good-0', 'good-1', 'sick')}")
    sick = page.get_by_role("row").filter(has_text="sick").first
    colour = "(row) => getComputedStyle(row.querySelector('.swatch')).backgroundColor"
    before = sick.evaluate(colour)
    expect(page.locator(".plot canvas").first).to_be_visible()

    page.get_by_role("button", name="Leave out good-0").click()

    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
    expect(page.get_by_role("button", name="Leave out good-0")).to_have_count(0)
    assert sick.evaluate(colour) == before
    page.get_by_label("Draw sick").uncheck()
    expect(page).to_have_url(re.compile("hide="))
    page.go_back()
    expect(page.get_by_role("heading", name="Compare 3 runs")).to_be_visible()


def test_runs_that_share_nothing_show_what_they_have_and_new_points_appear(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    with rv.init("lab", "other", dir=tmp_path, **QUIET) as other:
        other.log({"my/number": 3.0}, step=0)
        other.log({"my/number": 4.0}, step=1)
    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
        run.log({"outcome/return_mean": 2.0}, step=1)
        run.flush()
        page = open_page(serve(tmp_path))
        expect(page.get_by_role("link", name="other")).to_be_visible(timeout=PATIENCE)
        page.goto(f"{page.url.split('#')[0]}#/compare?{ids(page, 'now', 'other')}")
        chart = page.get_by_role("figure", name="Average episode return")
        expect(chart.locator(".legend")).to_contain_text("2", timeout=PATIENCE)
        expect(page.get_by_role("figure", name="my/number")).to_be_visible()

        run.log({"outcome/return_mean": 77.0}, step=2)
        run.flush()

        expect(chart.locator(".legend")).to_contain_text("77", timeout=PATIENCE)
        expect(section(page, "At the end")).to_contain_text("77", timeout=PATIENCE)


def test_lines_are_labelled_by_what_differs_and_the_pointer_lifts_the_nearest(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for rate in (0.01, 0.1):
        for seed in range(6):
            config = {"learning_rate": rate, "seed": seed}
            with rv.init("lab", "same-name", config, dir=tmp_path, **QUIET) as run:
                for step in range(60):
                    run.log({"outcome/return_mean": step * (1 + seed) + rate}, step=step)
    page = open_page(f"{serve(tmp_path)}#/runs?sort=name", width=1440)
    expect(page.locator("a.name")).to_have_count(12, timeout=PATIENCE)
    page.get_by_label("Choose all", exact=True).check()
    page.get_by_role("link", name="Compare 12").click()

    chart = page.get_by_role("figure", name="Average episode return")
    expect(chart.locator(".plot canvas")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".colours")).to_have_text(re.compile(r"0\.01\s+0\.1"))
    chart.locator(".u-over").hover(position={"x": 300, "y": 20})  # where the steepest lines are
    near = chart.locator(".near")
    expect(near.locator("p.first")).to_contain_text("seed 5")
    expect(near.locator("p")).to_have_count(10)
    expect(near.locator("p").last).to_contain_text(re.compile(r"4 more, \d+"))
    runs = section(page, "The compared runs")
    expect(runs.locator("tr.lifted")).to_contain_text("5")  # its row in the table is lifted as well


def test_the_table_of_runs_is_the_legend_sorted_by_any_column(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for rate, level in ((0.01, 5.0), (0.1, 50.0), (0.03, 20.0)):
        with rv.init("lab", f"at-{rate}", {"learning_rate": rate}, dir=tmp_path, **QUIET) as run:
            for step in range(60):
                run.log({"outcome/return_mean": level * step / 60}, step=step)
    page = open_page(f"{serve(tmp_path)}#/runs?sort=name", width=1440)
    expect(page.locator("a.name")).to_have_count(3, timeout=PATIENCE)
    page.get_by_label("Choose all", exact=True).check()
    page.get_by_role("link", name="Compare 3").click()
    runs = section(page, "The compared runs")
    links = runs.locator("tbody a")
    expect(links).to_have_text(["0.1", "0.03", "0.01"])  # the best first

    runs.get_by_role("button", name="lr").click()
    expect(links).to_have_text(["0.01", "0.03", "0.1"])
    expect(page).to_have_url(re.compile("sort=learning_rate"))

    chart = page.get_by_role("figure", name="Average episode return")
    expect(chart.locator(".plot canvas")).to_be_in_viewport()
    small = chart.bounding_box()["width"]
    page.get_by_role("button", name="Large charts").click()
    page.wait_for_function(
        "(small) => document.querySelector('figure').clientWidth > 1.2 * small", arg=small
    )


def test_nothing_covers_the_outcome_of_compared_runs_on_a_phone(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}#/runs?q=good|sick", width=1440)
    expect(page.locator("a.name")).to_have_count(3, timeout=PATIENCE)
    at = f"{address}#/compare?{ids(page, 'good-0', 'good-1', 'sick')}"
    phone = open_page(at, 390, 844, has_touch=True, is_mobile=True)
    last = (
        section(phone, "The compared runs")
        .locator("tbody tr")
        .first.locator("td:nth-last-child(2)")
    )
    expect(last).to_be_in_viewport()

    assert last.evaluate(
        """(cell) => {
          const { x, y, right, height } = cell.getBoundingClientRect();
          return right <= innerWidth && document.elementFromPoint(right - 16, y + height / 2) === cell;
        }"""
    )


def test_more_runs_than_lines_can_be_told_apart_are_a_band_that_ends_with_its_first_run(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for number in range(110):
        place = tmp_path / f"run-{number:03}"
        place.mkdir()
        last = 40 if number == 3 else 80
        rows = "".join(f"{step},{step + number}\n" for step in range(last))
        (place / "progress.csv").write_text(f"step,rollout/ep_rew_mean\n{rows}")
    page = open_page(f"{serve(tmp_path)}#/runs?sort=name", width=1440)
    expect(page.locator(".head .quiet").first).to_have_text("110", timeout=PATIENCE)
    page.get_by_label("Choose all", exact=True).check()
    page.get_by_role("link", name="Compare 110").click()

    chart = page.get_by_role("figure", name="Average episode return")
    expect(chart.locator(".legend")).to_contain_text("all runs (110)", timeout=PATIENCE)
    expect(chart.locator(".legend")).to_contain_text("fewer than 110")
    expect(page.get_by_text("10 to 90 %")).to_be_visible()
    rows = page.get_by_role("region", name="The compared runs").locator("tbody tr")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name="All 110 runs").click()
    expect(rows).to_have_count(110)


def test_best_is_said_only_beyond_the_interval(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/runs?q=good|sick")
    expect(page.get_by_text("collapsed").nth(1)).to_be_visible(timeout=PATIENCE)
    page.goto(f"{address}#/compare?{ids(page, 'good-0', 'good-1', 'sick')}")
    values = section(page, "At the end")
    expect(values.get_by_role("row").nth(1)).to_be_visible(timeout=PATIENCE)

    expect(values.locator(".winner")).to_have_count(0)  # one run each has no interval


def test_many_runs_are_told_by_the_setting_that_colours_them_and_one_is_clearly_best(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for number in range(10):
        config = {"learning_rate": 0.1 if number % 2 else 0.01, "seed": number}
        with rv.init("lab", f"at-{number}", config, dir=tmp_path, **QUIET) as run:
            for step in range(60):
                level = (50.0 if number % 2 else 5.0) + number / 10
                run.log(
                    {"outcome/return_mean": level * step / 60, "policy/entropy": 1.0}, step=step
                )
    page = open_page(f"{serve(tmp_path)}#/runs?sort=name", width=1440)
    expect(page.locator(".verdict:not(.waiting)")).to_have_count(10, timeout=PATIENCE)
    page.get_by_label("Choose all", exact=True).check()
    page.get_by_role("link", name="Compare 10").click()

    expect(page.locator("figure").first).to_contain_text("Average episode return")  # the outcome
    values = section(page, "At the end")
    heads = values.get_by_role("columnheader")
    expect(heads).to_have_text(
        ["Metric", re.compile("lr 0.01.*5 runs"), re.compile("lr 0.1.*5 runs")]
    )
    expect(values.locator(".winner")).to_have_count(1)  # and none where all are equal
    expect(values.locator(".winner")).to_contain_text("5")


def test_charts_answer_to_the_keys_of_the_run_page(open_page: Open, address: str) -> None:
    page = open_page(address)
    expect(page.get_by_role("link", name="sick")).to_be_visible()
    page.goto(f"{address}#/compare?{ids(page, 'good-0', 'good-1', 'sick')}")
    expect(page.locator(".plot canvas").first).to_be_visible()

    with page.expect_request(re.compile(r"series.*from=")):  # more points of what is seen
        page.keyboard.press("+")
    expect(page).to_have_url(re.compile(r"from=.*to="))
    page.keyboard.press("0")

    expect(page).not_to_have_url(re.compile("from="))
