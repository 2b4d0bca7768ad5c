"""The list of runs: found, sorted, grouped, chosen, and honest about what nobody knows."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runvitals as rv
from runvitals.server.work.library import Library

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

    for told in ("finished", "0.003", "critical", "REW003"):
        expect(sick).to_contain_text(told)
    expect(page.get_by_role("columnheader", name="return_mean level at the end")).to_be_visible()
    expect(sick.locator("svg path").nth(2)).to_be_visible()  # of verdict, severity and curve
    assert sick.bounding_box()["height"] <= 30
    expect(good).not_to_contain_text("critical")
    expect(page).to_have_title("Runs · runvitals")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rates with two seeds each; one run also logs a success rate, on which its verdict rests."""
    folder = tmp_path_factory.mktemp("sweep")
    for rate, top in ((0.009999999776482582, 400.0), (0.3, 10.0)):
        for seed in (0, 1):
            config = {"learning_rate": rate, "seed": seed}
            name = f"r{top:.0f}-s{seed}"
            with rv.init("sweep", name, config, dir=folder, algorithm="ppo", **QUIET) as run:
                for step in range(120):
                    level = top * min(1.0, (step + 1) / 80) + seed
                    values = {"outcome/return_mean": level, "my/number": 7.0 * seed + step}
                    if top < 100 and seed == 0:
                        values["eval/success_rate"] = min(1.0, step / 100)
                    run.log(values, step=step)
    return folder


def test_all_runs_are_ranked_by_one_outcome_that_is_named_and_can_be_chosen(
    open_page: Open, serve: Serve, sweep: Path
) -> None:
    page = open_page(f"{serve(sweep)}#/runs?sort=-outcome", width=1440)
    head = page.get_by_role("columnheader", name="return_mean level at the end")
    expect(head).to_be_visible(timeout=PATIENCE)
    expect(page.locator("a.name")).to_have_text(["r400-s1", "r400-s0", "r10-s1", "r10-s0"])
    expect(page.get_by_text(re.compile(" to 401, one scale"))).to_be_visible()

    outcome = page.get_by_label("Outcome of all runs")
    outcome.focus()
    page.locator("option[value='my/number']").wait_for(state="attached")
    outcome.select_option("my/number")
    expect(page).to_have_url(re.compile("outcome=my%2Fnumber"))
    expect(page.get_by_role("columnheader", name="number level at the end")).to_be_visible()
    expect(page.locator("a.name").first).to_have_text(re.compile("-s1$"))
    page.get_by_label("Which of its values").select_option("highest")
    expect(page).to_have_url(re.compile("highest"))
    page.reload()

    expect(page.get_by_role("columnheader", name="number highest value")).to_be_visible()
    expect(row(page, "r10-s1")).to_contain_text("126")


def test_a_typed_setting_and_a_metric_find_runs(open_page: Open, serve: Serve, sweep: Path) -> None:
    page = open_page(f"{serve(sweep)}#/runs?sort=name", width=1440)
    expect(page.locator(".verdict:not(.waiting)")).to_have_count(4, timeout=PATIENCE)
    search = page.get_by_role("searchbox")

    for query, found in (
        ("lr=0.01", ["r400-s0", "r400-s1"]),
        ("lr>=0.01 lr<0.01", []),
        ("my/number>115", ["r10-s1", "r400-s1"]),
        ("rollout/nothing>1", []),
        ("my/number:lowest=0", ["r10-s0", "r400-s0"]),
        ("outcome<100", ["r10-s0", "r10-s1"]),
    ):
        search.fill(query)
        expect(page.locator("a.name")).to_have_text(found)
    search.fill("rollout/nothing>1")
    expect(page.locator("#search-said")).to_contain_text("no run has “rollout/nothing”")
    search.fill("")
    expect(row(page, "r400-s0")).to_contain_text("0.01")
    expect(row(page, "r400-s0")).not_to_contain_text("0.0099")


def test_columns_are_chosen_sorted_remembered_and_in_the_address(
    open_page: Open, serve: Serve, sweep: Path
) -> None:
    address = serve(sweep)
    page = open_page(f"{address}#/runs", width=1440)
    expect(page.locator(".verdict:not(.waiting)")).to_have_count(4, timeout=PATIENCE)

    page.get_by_role("button", name=re.compile("^Columns")).click()
    panel = page.get_by_role("group", name="Columns of the list")
    panel.get_by_label("Search columns").fill("my/num")
    panel.get_by_role("checkbox", name="my/number").click()
    panel.get_by_label("Which value of my/number").select_option("lowest")
    panel.get_by_label("Search columns").fill("")
    panel.get_by_role("checkbox", name="speed").click()
    panel.get_by_role("checkbox", name="findings").click()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)

    page.get_by_role("button", name="number lowest value").click()
    expect(page.locator("a.name").first).to_have_text(re.compile("-s1$"))
    expect(page).to_have_url(re.compile("col=my%2Fnumber%3Alowest"))
    expect(page.get_by_role("columnheader", name="Findings")).to_have_count(0)
    page.goto("about:blank")
    page.goto(f"{address}#/runs")  # without columns in the address: as they were left
    expect(page.get_by_role("columnheader", name="number lowest value")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Steps/s")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Columns")).click()
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_role("columnheader", name="Findings")).to_be_visible()


def test_groups_tell_their_mean_and_the_share_that_fails_and_are_sorted_by_them(
    open_page: Open, serve: Serve, sweep: Path
) -> None:
    page = open_page(f"{serve(sweep)}#/runs?group=learning_rate&sort=outcome", width=1440)
    expect(page.locator(".verdict:not(.waiting)")).to_have_count(4, timeout=PATIENCE)
    groups = page.get_by_role("row").filter(has=page.get_by_label(re.compile("^Choose all of")))

    expect(groups.first).to_contain_text(re.compile("0.3 ?2"))
    page.get_by_role("button", name="return_mean level at the end").click()
    expect(groups.first).to_contain_text(re.compile("0.01 ?2"))
    expect(groups.first).to_contain_text(re.compile(r"(39|40)\d.* ± "))
    expect(groups.first).to_contain_text(re.compile(r"\d of 2 fail"))
    expect(groups.first.get_by_label("clearly best")).to_be_visible()
    page.get_by_role("button", name="n", exact=True).click()
    expect(page).to_have_url(re.compile("sort=-size"))


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


def test_a_look_that_takes_long_holds_up_no_page(
    open_page: Open, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, go_on = threading.Event(), threading.Event()
    scan = Library.scan

    def slow_scan(self: Library) -> None:
        if self._scanned.is_set():
            stuck.set()
            assert go_on.wait(600)
        scan(self)

    monkeypatch.setattr(Library, "scan", slow_scan)
    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=1)
        run.flush()
        page = open_page(serve(tmp_path))
        value = page.locator("figure strong").first
        expect(value).to_have_text("1", timeout=PATIENCE)
        assert stuck.wait(600)
        run.log({"outcome/return_mean": 2.0}, step=2)
        run.flush()
        expect(value).to_have_text("2", timeout=PATIENCE)
        go_on.set()


def test_a_run_that_is_deleted_disappears(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    for name in ("kept", "other", "gone"):
        place = tmp_path / name
        place.mkdir()
        (place / "progress.csv").write_text(f"step,rollout/ep_rew_mean\n1,2\n2,{len(name)}\n")
    page = open_page(serve(tmp_path))
    expect(row(page, "gone")).to_be_visible(timeout=PATIENCE)

    shutil.rmtree(tmp_path / "gone")

    expect(row(page, "gone")).to_have_count(0, timeout=PATIENCE)
    expect(row(page, "kept")).to_be_visible()


def test_updated_is_when_something_was_logged_and_not_when_files_were_copied(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        with rv.init("lab", name, dir=tmp_path, **QUIET) as run:
            run.log({"outcome/return_mean": 1.0}, step=1)
    days_ago = time.time() - 5 * 86_400
    for file in tmp_path.rglob("*"):
        os.utime(file, (days_ago, days_ago))
    page = open_page(serve(tmp_path), width=1440)

    expect(row(page, "first")).to_contain_text(re.compile(r"\d+ (s|min) ago|now"), timeout=PATIENCE)
    expect(row(page, "first")).not_to_contain_text("5 d ago")


def test_a_narrow_screen_shows_all_columns(open_page: Open, serve: Serve, sweep: Path) -> None:
    page = open_page(f"{serve(sweep)}#/runs", width=1024)
    expect(page.locator(".verdict:not(.waiting)")).to_have_count(4, timeout=PATIENCE)

    heads = page.get_by_role("columnheader")
    told = int(page.get_by_role("button", name=re.compile("^Columns")).inner_text().split()[-1])
    assert heads.count() >= told
    assert all(box["x"] + box["width"] <= 1024 for box in map(box_of, heads.all()))
    cut = "(cell) => cell.scrollWidth > cell.clientWidth + 1"
    numbers = row(page, "r400-s0").locator("[role=cell].number")
    assert numbers.count() > 3
    assert not any(cell.evaluate(cut) for cell in numbers.all())


def box_of(head: Any) -> dict[str, float]:
    """Where it lies."""
    found: dict[str, float] = head.bounding_box()
    return found


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


def test_long_names_keep_their_ends_and_stars_are_seen(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    name = "a-very-long-name-of-an-experiment-that-says-it-all-seed-2"
    for one in (name, "short"):
        with rv.init("p", one, dir=tmp_path, tags=["starred", "some-tag"], **QUIET) as run:
            run.log({"loss": 1.0}, step=0)
    page = open_page(serve(tmp_path), width=1024)
    end = row(page, name).locator("a.name span").last
    expect(end).to_have_text("-it-all-seed-2")

    shown = end.evaluate(
        "(e) => { const r = e.getBoundingClientRect(), "
        "at = document.elementFromPoint(r.right - 3, r.top + r.height / 2); return e === at; }"
    )
    assert shown, "the end of the name is covered or cut"
    expect(row(page, name).get_by_role("button", name="starred")).to_have_text("★")


def test_archived_runs_are_left_out_until_they_are_asked_for(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    for name, tags in (("kept", []), ("second", []), ("old", ["archived"])):
        with rv.init("p", name, dir=tmp_path, tags=tags, **QUIET) as run:
            run.log({"loss": 1.0}, step=0)
    page = open_page(serve(tmp_path))
    expect(row(page, "kept")).to_be_visible()
    expect(row(page, "old")).to_have_count(0)

    page.get_by_role("button", name="1 archived").click()

    expect(row(page, "old")).to_be_visible()
    expect(row(page, "kept")).to_have_count(0)
