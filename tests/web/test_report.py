"""A report as a colleague opens it: a file, without a network, in Chromium."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv
from runvitals.diagnosis.judge import Settings
from runvitals.readers.follow import opened
from runvitals.readers.options import ReadOptions
from runvitals.render.notebook import run_html
from runvitals.view.html_report.contents import contents_of
from runvitals.view.html_report.document import built_page, document, places_below

from .conftest import QUIET, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
HOSTILE = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1"><!-- &lt;'


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that collapses and means harm, as one file."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    config = {HOSTILE: HOSTILE, "learning_rate": 0.03}
    named = {"tags": [HOSTILE], "notes": HOSTILE, "algorithm": "PPO"}
    with rv.init("evil", HOSTILE, config, dir=folder / "runs", **named, **QUIET) as run:
        for i in range(200):
            values = {
                "outcome/return_mean": (i if i < 120 else 0.0) + rng.normal(),
                "policy/entropy": 1.0 - i / 400,
                "progress/tokens": 512.0 * i,
                HOSTILE: math.nan if i % 9 == 0 else i,
            }
            run.log(values, step=10 * i)
            if i % 10 == 0:
                run.log_histogram(HOSTILE, rng.normal(size=200), step=10 * i)
        run.log_image("frame", np.zeros((8, 8, 3), np.uint8), step=5, caption=HOSTILE)
        run.log_audio("voice", np.zeros(400), step=5)
        run.log_table("scores", ["level", HOSTILE], [[1, HOSTILE]], step=6)
    [place] = places_below([folder / "runs"])
    [ended] = opened(place.found, ReadOptions())
    contents = contents_of(ended, place, 0, Settings())
    file = folder / "report.html"
    text = document(contents, built_page(), run_html(ended, contents.diagnosis))
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def open_file(browser: Any, report: Path) -> Iterator[Open]:
    """Open the file offline; afterwards it may have asked for nothing and complained of nothing."""
    wrong: list[str] = []
    with ExitStack() as stack:

        def begin(part: str = "", **options: Any) -> Any:
            context = browser.new_context(offline=True, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda told: wrong.append(told.text))
            page.on(
                "request", lambda asked: asked.is_navigation_request() or wrong.append(asked.url)
            )
            page.goto(f"{report.as_uri()}{part}")
            return page

        yield begin
    assert wrong == []


def test_it_says_all_in_one_file(open_file: Open) -> None:
    page = open_file()

    expect(page.get_by_label("Verdict")).to_contain_text("collapsed")
    expect(page.locator("#checks")).to_contain_text("need metrics or points")
    expect(page.get_by_label("Verdict")).to_contain_text("Not checked:")
    expect(
        page.get_by_role("figure", name="Average episode return").locator("canvas")
    ).to_be_visible()
    expect(page.get_by_label("Settings and origin")).to_contain_text("learning_rate")
    assert page.title() == f"{HOSTILE} · runvitals"


def test_what_comes_from_logs_is_only_text(open_file: Open) -> None:
    page = open_file()

    for figure in page.get_by_role("figure").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator("canvas").first).to_be_visible()

    expect(page.get_by_role("heading", name=HOSTILE).first).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert page.locator("img[src=x]").count() == 0


def test_media_are_in_the_file_itself(open_file: Open) -> None:
    page = open_file()
    media = page.get_by_label("Media")

    image = media.locator("img")
    image.scroll_into_view_if_needed()

    expect(image).to_have_js_property("naturalWidth", 8)
    expect(media.locator("audio")).to_have_js_property("duration", 400 / 16_000)
    expect(media.locator("td").last).to_have_text(HOSTILE)


def test_a_code_leads_to_its_finding(open_file: Open) -> None:
    page = open_file()

    page.locator("figure .codes button").first.click()

    expect(page.locator(".chosen article, article.chosen").first).to_be_in_viewport()


def test_charts_are_drawn_over_every_axis(open_file: Open) -> None:
    page = open_file()
    axis = page.get_by_label("Horizontal axis")
    options = axis.locator("option").evaluate_all("all => all.map((one) => one.value)")

    for option in options:
        axis.select_option(option)
        chart = page.get_by_role("figure", name="Average episode return")
        expect(chart.locator("canvas")).to_be_visible()
        assert chart.get_by_role("alert").count() == 0

    assert options == ["step", "time", "relative", "progress/tokens"]


def test_rules_and_metrics_are_explained_without_a_server(open_file: Open) -> None:
    page = open_file()

    page.locator("article .code").first.click()
    expect(page.get_by_role("heading", name="What it looks for")).to_be_visible()
    page.locator(".back a").click()

    expect(page.get_by_label("Verdict")).to_be_visible()


def test_all_charts_are_on_paper_and_light(open_file: Open) -> None:
    page = open_file(color_scheme="dark")
    expect(page.get_by_label("Verdict")).to_be_visible()
    drawn = page.evaluate(
        """async () => {
            dispatchEvent(new Event('beforeprint'));
            for (let i = 0; i < 500; i += 1) await null; // what a browser lets happen before it prints
            const figures = [...document.querySelectorAll('figure')];
            const empty = figures.filter((one) => !one.querySelector('canvas, .read'));
            return [figures.length > 4, empty.length, document.documentElement.dataset.theme];
        }"""
    )

    assert drawn == [True, 0, "light"]


def test_without_scripts_it_still_tells_the_verdict(open_file: Open) -> None:
    page = open_file(java_script_enabled=False)

    expect(page.locator(".summary")).to_contain_text("collapsed")
    expect(page.locator(".summary svg").first).to_be_visible()


def test_a_file_that_was_cut_says_so_and_shows_what_is_left(open_file: Open, report: Path) -> None:
    cut = report.with_name("cut.html")
    text = report.read_text(encoding="utf-8")
    block = text.index('id="points">') + 2_000
    cut.write_text(text[:block] + text[text.index("</script>", block) :], encoding="utf-8")
    page = open_file()

    page.goto(cut.as_uri())

    expect(page.get_by_role("alert")).to_contain_text("The charts cannot be shown")
    expect(page.locator(".summary")).to_contain_text("collapsed")


def test_it_works_inside_another_page(open_file: Open, report: Path) -> None:
    page = open_file()
    page.evaluate(
        """(text) => {
            const frame = document.createElement('iframe');
            Object.assign(frame, { sandbox: 'allow-scripts', srcdoc: text, width: 1200, height: 700 });
            document.body.replaceChildren(frame);
        }""",
        report.read_text(encoding="utf-8"),
    )
    inside = page.frame_locator("iframe")

    inside.locator("figure .codes button").first.click()
    expect(inside.locator(".chosen article, article.chosen").first).to_be_visible()
    inside.locator("article .code").first.click()

    expect(inside.get_by_role("heading", name="What it looks for")).to_be_visible()
