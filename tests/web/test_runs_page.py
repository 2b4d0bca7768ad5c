"""The list of runs: found, sorted, grouped, chosen, and honest about what nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runvitals as rv

from .conftest import QUIET, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
Serve = Callable[[Path], str]
PATIENCE = 600_000  # milliseconds; a busy machine takes its time
MANY = 1_000
JUMPS = """
new PerformanceObserver((list) => {
  const jumps = list.getEntries().filter((one) => !one.hadRecentInput);
  for (const { value } of jumps) window.jumps = (window.jumps ?? 0) + value;
}).observe({ type: 'layout-shift', buffered: true });
"""


def row(page: Any, name: str) -> Any:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page: Any) -> list[str]:
    return [str(name) for name in page.locator("a.name").all_inner_texts()]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand small logs of another tool."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(MANY):
        place = folder / f"run-{number:04}"
        place.mkdir()
        (place / "progress.csv").write_text("step,rollout/ep_rew_mean\n1,2\n2,3\n")
    return folder


def test_a_row_tells_verdict_findings_outcome_and_settings(open_page: Open, address: str) -> None:
    page = open_page(address, width=1500)

    sick, good = row(page, "sick"), row(page, "good-0")
    expect(sick).to_contain_text("collapsed", timeout=PATIENCE)

    for told in ("finished", "return_mean", "0.003", "critical"):
        expect(sick).to_contain_text(told)
    assert sick.locator("svg path").count() > 2
    expect(good).not_to_contain_text("critical")
    expect(page).to_have_title("Runs · runvitals")


def test_a_log_that_cannot_be_read_says_why_and_is_not_healthy(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "trainer_state.json").write_text('{"log_history": [{"step": 1, ')
    page = open_page(f"{serve(tmp_path)}#/runs")  # one run alone is opened until it was read

    expect(page.get_by_text("unreadable")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("row").nth(1)).to_contain_text(re.compile("JSON|cut off|read"))
    expect(page.get_by_role("button", name=re.compile("not judged"))).to_contain_text("1")
    expect(page.locator(".verdict.good")).to_have_count(0)


def test_searches_combine_and_one_that_makes_no_sense_says_so(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}#/runs?sort=name")
    expect(row(page, "sick")).to_contain_text("collapsed", timeout=PATIENCE)
    search, said = page.get_by_role("searchbox"), page.locator("#search-said")

    search.fill("lr>1e-4 good|sick -tag=none finished")
    expect(page.locator("a.name")).to_have_text(["good-0", "good-1", "sick"])
    page.get_by_role("button", name=re.compile("collapsed")).click()
    expect(page.locator("a.name")).to_have_text(["sick"])
    expect(search).to_have_value(re.compile("verdict=collapsed$"))
    page.get_by_role("button", name=re.compile("collapsed")).click()
    expect(page.locator("a.name")).to_have_count(3)
    search.fill("[goo lrr>1")
    expect(said).to_contain_text("“[goo” is not a regular expression")
    expect(said).to_contain_text("no run has “lrr”")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="How to search").click()
    page.get_by_role("button", name="findings>0").click()
    expect(page).to_have_url(re.compile("q=findings%3E0"))


def test_runs_are_grouped_sorted_chosen_and_found_again_by_going_back(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}#/runs?q=good|sick&sort=name")
    page.get_by_label("Group by").select_option("learning_rate")
    closed = page.get_by_role("button", name=re.compile("^0.0003"))
    closed.click()
    expect(page.locator("a.name")).to_have_text(["sick"])
    closed.click()
    page.get_by_label("Group by").select_option("")

    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("a.name")).to_have_text(["sick", "good-1", "good-0"])
    page.get_by_label("Choose sick").click()
    page.get_by_label("Choose good-0").click(modifiers=["Shift"])
    page.get_by_role("link", name="Compare 3").click()
    expect(page.get_by_role("heading", name="Compare 3 runs")).to_be_visible()
    page.go_back()

    expect(page.get_by_label("Choose good-1")).to_be_checked()
    expect(page).to_have_url(re.compile(r"sort=-name.*run="))
    row(page, "good-1").click(position={"x": 700, "y": 10})  # anywhere in the row
    expect(page.get_by_role("heading", name="good-1")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Choose good-1")).to_be_checked()


def test_a_thousand_runs_are_a_few_rows_and_nothing_jumps(
    browser: Any, serve: Serve, many: Path
) -> None:
    address = serve(many)
    for width in (1300, 390):
        context = browser.new_context(viewport={"width": width, "height": 900})
        context.add_init_script(JUMPS)
        page = context.new_page()
        page.goto(f"{address}#/runs?sort=name")
        expect(page.locator(".head .quiet").first).to_have_text("1,000", timeout=PATIENCE)
        assert names(page)[0] == "run-0000"

        if width > 1000:
            page.get_by_role("table").evaluate("(table) => table.scrollTo(0, 1e7)")
        else:
            page.evaluate("scrollTo(0, 1e7)")

        expect(page.get_by_role("link", name="run-0999")).to_be_visible()
        assert page.locator("a.name").count() < 60
        assert page.evaluate("document.querySelectorAll('*').length") < 3_000
        assert page.evaluate("window.jumps ?? 0") < 0.05
        page.get_by_role("searchbox").fill("run-05[0-4]7")
        expect(page.locator("a.name")).to_have_count(5)
        context.close()


def test_the_list_follows_a_run_that_goes_on(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        for step in range(10):
            run.log({"outcome/return_mean": 1.0}, step=step)
        run.flush()
        page = open_page(f"{serve(tmp_path)}#/runs")
        expect(row(page, "now")).to_contain_text("running", timeout=PATIENCE)

        run.log({"outcome/return_mean": 2.0}, step=4321)
        run.flush()

        expect(row(page, "now")).to_contain_text("4,321", timeout=PATIENCE)
    with rv.init("lab", "second", dir=tmp_path, **QUIET) as other:
        other.log({"outcome/return_mean": 1.0}, step=1)
    expect(row(page, "second")).to_be_visible(timeout=PATIENCE)
    expect(row(page, "now")).to_contain_text("finished", timeout=PATIENCE)


def test_the_list_says_when_it_was_looked_for_runs_and_looks_again(
    open_page: Open, address: str
) -> None:
    page = open_page(address, width=1200)

    expect(page.get_by_text(re.compile(r"looked \d+ s ago"))).to_be_visible(timeout=PATIENCE)
    with page.expect_request(re.compile("refresh=true")):
        page.get_by_role("button", name="Look for new runs now").click()


def test_a_folder_that_is_not_there_is_a_quiet_line(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path / "later"), width=1200)

    line = page.get_by_text("does not exist yet")
    expect(line).to_be_visible(timeout=PATIENCE)
    expect(line).to_have_class(re.compile("quiet"))
