"""The dashboard as a person meets it, in Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import runvitals as rv

from .conftest import HOSTILE, QUIET, record, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
Serve = Callable[[Path], str]
PATIENCE = 600_000  # milliseconds; a busy machine takes its time


def go_to(page: Any, address: str, name: str) -> None:
    page.goto(f"{address}#/runs?q={name}")
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def test_a_run_begins_with_its_verdict(open_page: Open, address: str) -> None:
    page = open_page(address)

    go_to(page, address, "sick")

    expect(page.get_by_label("Verdict")).to_contain_text("collapsed")
    expect(page.locator(".plot canvas").first).to_be_visible()


def test_the_figures_on_the_page_and_in_the_list_are_those_of_the_verdict(
    open_page: Open, address: str
) -> None:
    page = open_page(address)
    go_to(page, address, "sick")

    shown = page.get_by_label("Verdict").locator(".levels")
    expect(shown).to_be_visible(timeout=PATIENCE)
    start, best, now = re.findall(r"(?:start|best|now)\s*(\S+)", shown.inner_text())
    told = f"from {best} at its best to {now}".replace(
        "\u2212", "-"
    )  # sentences have a plain minus
    expect(page.locator(".reason")).to_contain_text(told)
    page.goto(f"{address}#/runs?q=sick")
    expect(page.get_by_title(f"start {start}, best {best}, now {now}")).to_be_visible()


def test_a_code_leads_to_its_finding_and_is_in_the_address(open_page: Open, address: str) -> None:
    page = open_page(address)
    go_to(page, address, "sick")

    page.locator("figure .codes button").first.click()

    expect(page.locator(".chosen article, article.chosen").first).to_be_in_viewport()
    assert re.search(r"finding=\d", page.url)


def test_dragging_zooms_and_a_double_click_shows_all(open_page: Open, address: str) -> None:
    page = open_page(address)
    go_to(page, address, "good-0")
    expect(page.get_by_text("Report card")).to_be_visible()  # judged, so that charts stay
    chart = page.locator(".plot .u-over").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()

    page.mouse.move(box["x"] + 60, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 40, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"from=\d+.*to=\d+"))
    chart.dblclick()

    expect(page).not_to_have_url(re.compile("from="))


def test_what_comes_from_logs_is_only_text(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/runs")
    page.get_by_role("link", name=HOSTILE).click()
    here = page.url
    seen = {
        "": page.locator(".plot"),
        "/samples": page.locator(".said"),
        "/config": page.locator("td"),
    }
    for part, what in seen.items():
        page.goto(here + part)
        expect(what.first).to_be_visible()
        assert page.evaluate("window.hit") is None


def test_new_points_appear_by_themselves(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
        run.log({"outcome/return_mean": 2.0}, step=1)
        run.flush()
        page = open_page(serve(tmp_path))
        value = page.locator("figure strong").first
        expect(value).to_have_text("2", timeout=PATIENCE)

        run.log({"outcome/return_mean": 77.0}, step=2)
        run.flush()

        expect(value).to_have_text("77", timeout=PATIENCE)


def test_a_tab_in_the_background_leaves_its_connection_and_catches_up(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    def show(hidden: str) -> None:
        page.evaluate(
            f"Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )

    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
        run.flush()
        page = open_page(serve(tmp_path))
        page.clock.install()
        page.reload()
        value = page.locator("figure strong").first
        expect(value).to_have_text("1", timeout=PATIENCE)
        with page.expect_event("requestfailed", lambda request: "api/events" in request.url):
            show("true")
            page.clock.run_for(6000)
        run.log({"outcome/return_mean": 77.0}, step=1)
        run.flush()

        with page.expect_request(re.compile("api/events")):
            show("false")

        expect(value).to_have_text("77", timeout=PATIENCE)


def test_a_folder_of_one_run_shows_that_run_and_the_list_when_asked(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    record(tmp_path, "alone", {}, float)
    page = open_page(serve(tmp_path))
    expect(page.get_by_role("heading", name="alone")).to_be_visible(timeout=PATIENCE)

    page.get_by_role("navigation").get_by_role("link", name="Runs").first.click()

    expect(page.get_by_role("row").filter(has_text="alone")).to_be_visible()


def test_the_points_of_the_first_charts_are_asked_for_once_and_before_the_page_is_drawn(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    record(tmp_path, "alone", {}, float)
    page = open_page("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(serve(tmp_path))

    expect(page.locator(".uplot canvas").first).to_be_visible(timeout=PATIENCE)
    points = [at for at, url in enumerate(asked) if "/series?" in url and "buckets=600" in url]
    first_drawn = next(at for at, url in enumerate(asked) if url.endswith("/siblings"))
    assert points[0] < first_drawn
    assert len({asked[at] for at in points}) == len(points)


def test_an_empty_folder_says_what_to_do(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    page = open_page(serve(tmp_path))

    expect(page.get_by_text("No runs here yet")).to_be_visible()
