"""The page for everybody: by keyboard, by screen reader, by phone, light and dark; and its shell."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runvitals as rv

from .conftest import HOSTILE, QUIET, serving, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
Serve = Callable[[Path], str]
PATIENCE = 600_000  # milliseconds; a busy machine takes its time
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
TURNED = "\u202ekcab\u202c"  # bidi controls that turn what follows
PAGES = {  # and what is there once a page is
    "runs": "a.name",
    "runs?group=algorithm&q=[good": "h1",
    "runs/{run}": "figure",
    "compare?{all}": "figure",
    "compare?{all}&group_by=learning_rate": "figure",
    "sweep?{all}": "rect.handle",
    "metrics?q=kl": "li",
    "metrics/policy%2Fapprox_kl": "aside li",
    "rules": "li",
    "rules/KL001": "aside li",
    "symptoms?q=kl": "li",
    "watch-first": "li",
    "glossary": "li",
    "nothing": "h1",
}


@pytest.fixture
def pages(open_page: Open, address: str) -> dict[str, str]:
    """The address of each page for the runs that are there, and what to wait for."""
    page = open_page(address)
    expect(page.get_by_role("row").filter(has_text="sick")).to_contain_text(
        "collapsed", timeout=PATIENCE
    )
    listed = page.request.get(f"{address}api/runs").json()["runs"]
    [sick] = [row["id"] for row in listed if row["name"] == "sick"]
    every = "&".join(f"run={row['id']}" for row in listed)
    return {part.format(run=sick, all=every): there for part, there in PAGES.items()}


@pytest.mark.skipif(not AXE.is_file(), reason="axe is not installed: npm ci in web/")
def test_no_page_shuts_anybody_out(open_page: Open, address: str, pages: dict[str, str]) -> None:
    page = open_page(address)
    page.evaluate(AXE.read_text())
    found = {}
    for part, there in pages.items():
        page.goto(f"{address}#/{part}")
        expect(page.locator(there).first).to_be_visible()
        for theme in ("light", "dark"):
            page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
            told = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            for one in told["violations"]:
                if one["impact"] in ("serious", "critical"):
                    found[part.split("?")[0], theme, one["id"]] = one["nodes"][0]["html"][:200]

    assert found == {}


def test_a_phone_needs_no_sideways_scrolling_and_fingers_hit(
    open_page: Open, address: str, pages: dict[str, str]
) -> None:
    page = open_page(address, width=390, height=800)
    for part, there in pages.items():
        page.goto(f"{address}#/{part}")
        expect(page.locator(there).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, part

    page.goto(f"{address}#/runs")
    page.get_by_label("Choose sick").click()
    page.get_by_label("Choose good-0").click()
    compare = page.get_by_role("link", name="Compare 2")
    expect(compare).to_be_in_viewport()
    assert compare.bounding_box()["height"] >= 40
    assert page.locator(".choice label").first.bounding_box()["width"] >= 40


def test_every_shortcut_of_the_sheet_works(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/runs?sort=name&q=good|sick")
    expect(page.locator("a.name")).to_have_count(3)
    press = page.keyboard.press

    press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for key in ("j", "j", "k", "x", "j", "x"):
        press(key)
    expect(page.get_by_role("link", name="good-1")).to_be_focused()
    expect(page.get_by_label("Choose good-0")).to_be_checked()
    press("c")
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
    for keys, heading in (
        ("gp", "Sweep"),
        ("gm", "Metrics"),
        ("gu", "Rules"),
        ("gs", "Symptoms"),
        ("gg", "Glossary"),
        ("gr", "Runs"),
    ):
        for key in keys:
            press(key)
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    for theme in ("light", "dark"):
        press("t")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
    press("j")
    press("Enter")
    expect(page).to_have_url(re.compile(r"#/runs/\w+"))


def test_the_skip_link_comes_first_and_leads_to_the_page(open_page: Open, address: str) -> None:
    page = open_page(address)
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_be_focused()


def test_going_back_finds_the_place_that_was_left(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/rules")
    page.get_by_role("link", name="VAL006").scroll_into_view_if_needed()
    left = page.evaluate("scrollY")

    page.get_by_role("link", name="VAL006").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Q values")
    assert page.evaluate("scrollY") == 0
    expect(page).to_have_title(re.compile("VAL006"))
    page.go_back()

    page.wait_for_function(f"Math.abs(scrollY - {left}) < 3")


def test_metrics_and_rules_lead_to_each_other(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/metrics")
    page.get_by_role("searchbox").fill("train/approx_kl")
    expect(page.get_by_text("logged as train/approx_kl")).to_be_visible()

    page.get_by_role("link", name="Approximate KL").click()
    expect(page.get_by_text("Stable-Baselines3 (with sb3-contrib)")).to_be_visible()
    page.get_by_role("link", name="KL001").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("moves too far")
    page.get_by_role("link", name="policy/approx_kl").first.click()
    expect(page.get_by_role("heading", name="Approximate KL, old policy to new")).to_be_visible()
    page.goto(f"{address}#/rules?severity=critical")
    expect(page.locator("li").filter(has_text="warning")).to_have_count(0)


def test_a_symptom_leads_to_its_metrics_and_rules(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/symptoms")
    page.get_by_role("searchbox").fill("clipfrac near zero")
    sign = page.get_by_role("listitem").filter(has_text="slow learning")
    expect(page.get_by_role("listitem")).to_have_count(1)
    expect(sign).to_have_count(1)

    sign.get_by_role("link", name="CLIP002").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("nothing is clipped")
    page.go_back()
    page.get_by_role("link", name="Clip fraction", exact=True).click()
    expect(page.locator("aside li").first).to_be_visible()


def test_what_to_watch_first_is_read_from_top_to_bottom(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/runs")
    page.get_by_role("link", name="Watch first").click()
    order = page.get_by_role("region", name="Reading order: what to look at first, then")
    expect(order.get_by_role("listitem")).to_have_count(10)
    expect(order.get_by_role("heading", level=3).first).to_have_text("First: Validation")
    expect(order.get_by_role("listitem").first).to_contain_text("The final exam")
    expect(order.get_by_role("heading", level=3).nth(1)).to_have_text("Then (2): Actor")

    page.get_by_role("searchbox").fill("global_seqlen/minmax_diff")
    expect(page.get_by_role("listitem")).to_have_count(1)
    page.get_by_role("listitem").get_by_role("link").first.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("esponse")


def test_the_glossary_is_searched_by_any_word_for_it(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#/glossary")

    page.get_by_role("searchbox").fill("generalized advantage")

    expect(page.get_by_role("heading", level=3)).to_have_text(["GAE"])


def test_names_that_mean_harm_or_never_end_stay_in_their_place(
    open_page: Open, serve: Serve, tmp_path: Path
) -> None:
    long = "very-long-" * 60
    for name in (HOSTILE, long, f"{TURNED}-after"):
        with rv.init(name, name, {name: name}, dir=tmp_path, tags=[name], **QUIET) as run:
            run.log({name: 1.0, "eval/return": 1.0}, step=1)
            run.log({name: 2.0, "eval/return": 2.0}, step=2)
    for width in (1300, 390):
        page = open_page(serve(tmp_path), width=width)
        expect(page.locator("a.name")).to_have_count(3, timeout=PATIENCE)
        listed = page.request.get(f"{page.url.split('#')[0]}api/runs").json()["runs"]
        pages = ("runs", "runs?group=tag", "compare?" + "&".join(f"run={r['id']}" for r in listed))
        for part in pages:
            page.goto(f"{page.url.split('#')[0]}#/{part}")
            expect(page.get_by_text("<script>").first).to_be_attached()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("window.hit") is None


def test_a_server_that_goes_away_is_told_of_until_it_is_back(browser: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "runs").mkdir()
    with serving(tmp_path / "runs", port=port):
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page.get_by_text("No runs here yet")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("connection lost")).to_be_visible(timeout=PATIENCE)
    with rv.init("lab", "meanwhile", dir=tmp_path / "runs", **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=1)

    with serving(tmp_path / "runs", port=port):
        expect(page.get_by_role("link", name="meanwhile")).to_be_visible(timeout=PATIENCE)
        expect(page.get_by_text("connection lost")).to_have_count(0, timeout=PATIENCE)
        page.close()
