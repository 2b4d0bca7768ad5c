"""The page of a run, as one who looks for what went wrong uses it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen
from xml.etree import ElementTree

import numpy as np
import pytest

import runvitals as rv

from . import recorded
from .conftest import QUIET, serving, sync_api

expect = sync_api.expect
Open = Callable[..., Any]
PATIENCE = 600_000  # milliseconds; a busy machine takes its time
JUMPS = """() => {
  window.jumps = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.jumps += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}"""
# How many separate lines cross a canvas at a height, given as a share from the top.
CROSSINGS = """(canvas, share) => {
  const row = Math.round(canvas.height * share);
  const { data } = canvas.getContext('2d').getImageData(0, row, canvas.width, 1);
  const left = Math.round(canvas.width * 0.145);
  let count = 0;
  for (let x = left; x < canvas.width; x += 1) {
    const dark = data[4 * x + 3] > 40 && data[4 * x] < 215;
    const before = data[4 * x - 1] > 40 && data[4 * x - 4] < 215;
    if (dark && !before) count += 1;
  }
  return count;
}"""
# How opaque the drawing is at a place; nothing is drawn where nothing is.
INK = """(canvas, [x, y]) => canvas.getContext('2d')
  .getImageData(Math.round(canvas.width * x), Math.round(canvas.height * y), 1, 1).data[3]"""


# When everything is ready for paper: how many charts there are, and how many of them are not blank.
PRINTED = """() => addEventListener('beforeprint', () => queueMicrotask(() => {
  const drawn = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value > 0);
  };
  const figures = [...document.querySelectorAll('figure')];
  const canvases = figures.flatMap((figure) => [...figure.querySelectorAll('canvas')]);
  window.printed = { figures: figures.length, drawn: canvases.filter(drawn).length };
}))"""


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard over runs with everything."""
    folder = tmp_path_factory.mktemp("recorded")
    for record in ("spikes", "rich", "ranks", "many", "odd", "story", "layers", "texts", "seeds"):
        getattr(recorded, f"record_{record}")(folder)
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="module")
def find(at: str) -> Callable[[str], str]:
    """The address of a run's page by the run's name."""

    def of(name: str) -> str:
        with urlopen(f"{at}api/runs") as answer:
            rows = json.load(answer)["runs"]
        return f"{at}#/runs/" + next(row["id"] for row in rows if row["name"] == name)

    return of


def chart(page: Any, title: str) -> Any:
    """A chart that is drawn; sections that hide it are opened."""
    expect(page.get_by_role("toolbar", name="Charts")).to_be_visible()
    for _ in range(10):
        closed = page.locator("h2 button[aria-expanded=false]")
        if page.get_by_role("figure", name=title, exact=True).count() or not closed.count():
            break
        closed.first.click()
    figure = page.get_by_role("figure", name=title, exact=True)
    figure.scroll_into_view_if_needed()
    expect(figure.locator("canvas")).to_be_visible()
    return figure


def query(page: Any) -> dict[str, str]:
    """What the address says."""
    told = parse_qs(urlsplit(page.url).fragment.partition("?")[2])
    return {key: value[0] for key, value in told.items()}


def zoomed(page: Any) -> tuple[float, float]:
    """The range that the address says once it has come to rest."""
    expect(page).to_have_url(re.compile("from="))
    seen = None
    while seen != (seen := page.url):
        page.wait_for_timeout(400)
    return float(query(page)["from"]), float(query(page)["to"])


def saved(page: Any, figure: Any, kind: str) -> bytes:
    """What the chart is saved as."""
    figure.get_by_role("button", name=re.compile("^Save")).click()
    with page.expect_download() as download:
        figure.get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path()).read_bytes()


def test_every_spike_of_one_step_is_drawn(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(f"{find('spikes')}?whole=1")
    figure = chart(page, "Gradient norm of the policy")

    assert figure.locator("canvas").evaluate(CROSSINGS, 0.45) == recorded.SPIKES

    page.goto(f"{find('spikes')}?whole=1&from=0&to=5300")
    figure = chart(page, "Gradient norm of the policy")
    page.wait_for_load_state("networkidle")
    assert figure.locator("canvas").evaluate(CROSSINGS, 0.45) == 5


def test_a_finding_is_shaded_on_every_axis(
    open_page: Open, address: str, until: Callable[..., None]
) -> None:
    page = open_page(f"{address}#/runs?q=sick")
    page.get_by_role("link", name="sick").first.click()
    expect(page.locator("article .message").first).to_be_visible()
    here = page.url.partition("?")[0]

    for axis in ("step", "time", "relative"):
        page.goto(f"{here}?x={axis}&smooth=0")
        page.reload()
        figure = chart(page, "Average episode return")
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        figure.locator(".codes button").first.click()

        expect(page).to_have_url(re.compile("finding=0"))
        expect(page.locator("article.chosen")).to_be_in_viewport()
        canvas = figure.locator("canvas")
        until(lambda c=canvas: c.evaluate(INK, [0.9, 0.4]) > 0)  # a chart may be drawn anew
        assert canvas.evaluate(INK, [0.17, 0.3]) == 0  # before it began

    page.go_back()
    expect(page).not_to_have_url(re.compile("finding="))


def test_verdict_cause_and_first_charts_are_above_the_fold(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("story"), 1440, 900)
    expect(page.locator("article").first).to_be_visible()
    figures = page.locator("section[aria-label='Watch first'] figure")
    expect(figures.first.locator("canvas")).to_be_visible()

    boxes = [figures.nth(i).bounding_box() for i in range(2)]
    assert all(box["y"] + box["height"] <= 900 for box in boxes)
    outcome = page.get_by_role("region", name="Verdict")
    expect(outcome.get_by_role("img", name=re.compile("^Outcome"))).to_be_visible()
    strips = page.get_by_role("img", name=re.compile("^Evidence of"))
    expect(strips.first).to_be_visible()
    places = [strips.nth(i).locator(".u-over").bounding_box() for i in range(strips.count())]
    assert len(places) >= 2
    assert len({(round(box["x"]), round(box["width"])) for box in places}) == 1  # one time axis
    assert page.evaluate("document.documentElement.scrollHeight") < 2600
    page.locator("article .show").first.click()
    expect(page.get_by_role("figure", name="Learning rate", exact=True)).to_be_in_viewport()


def test_the_bar_covers_nothing_and_is_opaque(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(f"{find('many')}?open=*")
    bar = page.get_by_role("toolbar", name="Charts")
    expect(bar).to_be_visible()

    colour = bar.evaluate("bar => getComputedStyle(bar).backgroundColor")
    assert colour.startswith("rgb(")  # without transparency


def test_spans_carry_the_code_of_their_rule(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("story"))
    code = page.locator("section[aria-label='Watch first'] .codes button").first
    expect(code).to_be_visible()

    told = code.get_attribute("title") or ""
    assert re.match(r"[A-Z]+\d{3}, steps [\d,]+ to [\d,]+: .{10,}", told)
    code.click()
    expect(page).to_have_url(re.compile("finding="))


def test_any_layer_of_a_hundred_is_found_and_shown_alone(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("layers"))
    search = page.get_by_label("Search charts")
    search.fill("layers/77")
    figure = page.locator("figure")
    expect(figure).to_have_count(1)
    expect(figure.locator("a.key, span.key.mono")).to_have_text("layers/77/norm")
    search.fill("layers/7[0-3]/")
    expect(figure.locator("canvas")).to_be_visible()
    expect(figure).to_contain_text("4 series")
    search.fill("layers")
    figure.get_by_role("button", name="100 of 100 series").click()
    figure.get_by_role("button", name="layers/42/norm").click()

    expect(page).to_have_url(re.compile("one=layers%2F42%2Fnorm"))
    expect(figure.get_by_role("button", name="1 of 100 series")).to_be_visible()
    again = open_page(page.url)
    expect(again.locator("figure").get_by_role("button", name="1 of 100 series")).to_be_visible()


def test_sections_fold_and_keys_open_them(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("rich"))
    head = page.get_by_role("button", name=re.compile("^Policy and optimisation"))
    expect(head).to_have_attribute("aria-expanded", "false")

    head.click()
    expect(page).to_have_url(re.compile("open=policy"))
    expect(page.locator("#section-policy figure").first).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("button", name=re.compile("^Watch first"))).to_have_attribute(
        "aria-expanded", "false"
    )


def test_hands_move_all_charts_at_once(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("rich"))
    figure = chart(page, "Average episode return")
    other = page.get_by_role("figure", name="Approximate KL, old policy to new")
    box = figure.locator(".u-over").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + 60

    page.mouse.move(*middle)
    expect(other.locator(".at")).to_have_text(re.compile(r"step (99|100)"))
    page.mouse.down()
    page.mouse.move(middle[0] + 100, middle[1], steps=4)
    page.mouse.up()
    chosen, there = zoomed(page), page.url
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(page).not_to_have_url(there)
    closer, there = zoomed(page), page.url
    page.keyboard.down("Shift")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Shift")
    expect(page).not_to_have_url(there)
    moved = zoomed(page)

    assert closer[1] - closer[0] < chosen[1] - chosen[0]
    assert moved[0] < closer[0]
    assert moved[1] - moved[0] == pytest.approx(closer[1] - closer[0], abs=0.1)
    page.go_back()
    expect(page).not_to_have_url(re.compile("from="))
    page.go_forward()
    assert zoomed(page) == pytest.approx(moved)
    figure.locator(".u-over").dblclick()
    expect(page).not_to_have_url(re.compile("from="))
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 300)
    page.wait_for_function("before => scrollY > before", arg=before)


def test_fingers_pinch_and_pan(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("spikes"), 390, 800, has_touch=True, is_mobile=True)
    figure = chart(page, "Gradient norm of the policy")
    box = figure.locator(".u-over").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": place, "y": y, "id": i} for i, place in enumerate(places)]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x - 30, x + 30)
    for apart in range(40, 100, 10):
        touch("touchMove", x - apart, x + apart)
    touch("touchEnd")
    pinched, there = zoomed(page), page.url
    touch("touchStart", x)
    for by in range(10, 60, 10):
        touch("touchMove", x - by)
    touch("touchEnd")
    expect(page).not_to_have_url(there)
    panned = zoomed(page)

    assert pinched[1] - pinched[0] == pytest.approx(20_000 / 3, rel=0.05)
    assert panned[0] > pinched[0]
    assert panned[1] - panned[0] == pytest.approx(pinched[1] - pinched[0], rel=0.01)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_address_is_the_view(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(f"{find('rich')}?x=progress%2Ftokens&smooth=0.05&log=*&from=50000&to=100000")
    chart(page, "Average episode return")

    expect(page.get_by_label("Horizontal axis")).to_have_value("progress/tokens")
    expect(page.get_by_role("slider")).to_have_value("0.05")
    expect(page.get_by_role("button", name="log y", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_role("button", name="Whole run").click()
    page.get_by_role("button", name="Average episode return in full screen").click()
    expect(page.locator("figure.full")).to_be_visible()
    again = open_page(page.url)
    expect(again.locator("figure.full canvas")).to_be_visible()
    again.keyboard.press("Escape")
    expect(again.locator("figure.full")).to_have_count(0)
    page.go_back()
    expect(page.locator("figure.full")).to_have_count(0)
    page.get_by_role("link", name="Config").click()
    expect(page.get_by_role("cell", name="12345678").first).to_be_visible()
    expect(page.get_by_text("step-200")).to_be_visible()
    expect(page.get_by_role("cell", name="0.3", exact=True).first).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_text("half way")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("slider")).to_have_value("0.05")


def test_charts_are_saved_as_picture_drawing_and_table(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("spikes"), accept_downloads=True)
    figure = chart(page, "Gradient norm of the policy")
    rich = open_page(find("rich"), accept_downloads=True)
    heat = chart(rich, "policy/logprobs")

    picture = saved(page, figure, "PNG")
    drawing = ElementTree.fromstring(saved(page, figure, "SVG"))
    table = list(csv.DictReader(io.StringIO(saved(page, figure, "CSV").decode())))
    cells = list(csv.DictReader(io.StringIO(saved(rich, heat, "CSV").decode())))

    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5_000
    assert "Gradient norm of the policy" in "".join(drawing.itertext())
    assert sum(float(row["high"]) > 20 for row in table) == recorded.SPIKES
    steps = {row["step"] for row in cells}
    assert len(steps) == 20
    assert sum(float(row["share"]) for row in cells) == pytest.approx(len(steps), rel=1e-3)


def test_nothing_jumps_and_only_what_is_seen_is_fetched(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page("about:blank")
    page.add_init_script(f"({JUMPS})()")
    asked: set[str] = set()
    page.on(
        "request",
        lambda request: asked.update(parse_qs(urlsplit(request.url).query).get("name", [])),
    )
    page.goto(f"{find('many')}?open=*")
    expect(page.locator(".plot canvas").first).to_be_visible()

    page.mouse.wheel(0, 600)
    page.wait_for_function("scrollY > 500")
    page.wait_for_load_state("networkidle")

    assert page.evaluate("window.jumps") < 0.05
    assert 6 <= len(asked) < 60
    assert page.locator(".plot canvas").count() < 40


def test_samples_are_a_table_by_prompt_with_filters(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(f"{find('rich')}/samples")
    rows = page.locator("tbody tr:not(.head)").filter(has=page.locator("td.text"))
    expect(rows).to_have_count(8)
    expect(page.locator("tr.head")).to_have_count(4)  # prompts

    page.get_by_label("Lowest Reward").fill("2")
    page.get_by_label("Lowest Reward").press("Enter")
    expect(rows).to_have_count(4)
    page.get_by_label("Search samples").fill(r"3\+3|none")
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile("reward=2"))
    assert rows.first.bounding_box()["height"] < 28  # dense


def test_a_phone_shows_every_number_of_a_sample(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(f"{find('rich')}/samples", width=390, height=800)
    frame = page.locator(".frame")
    expect(frame.get_by_role("row").nth(3)).to_be_visible()

    assert frame.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0


def test_a_sample_lies_beside_its_counterpart(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(f"{find('rich')}/samples")
    page.get_by_role("button", name="it is 104").click()

    expect(page.get_by_label("Sample B").locator("ins")).to_have_text("104")
    expect(page.get_by_label("Sample A").locator("del")).to_have_text("4")
    expect(page.get_by_label("Two samples")).to_contain_text("2+2?")
    page.get_by_role("button", name="it is 6", exact=True).click(modifiers=["Shift"])
    expect(page.get_by_label("Sample A").locator("del")).to_have_text("6")
    page.keyboard.press("j")
    expect(page).not_to_have_url(re.compile("a="))


def test_findings_about_texts_lead_to_their_samples(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("texts"))
    expect(page.locator("article").first).to_be_visible()
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.get_by_role("link", name="These samples").first.click()

    expect(page).to_have_url(re.compile("samples.*code=TEXT001"))
    expect(page.locator("tbody.told tr.head")).to_contain_text(["TEXT001"])
    expect(page.get_by_label("Sample B")).to_contain_text("!!!!")
    expect(page.locator("tbody.told td.text").first).to_contain_text("!!!!")


def test_every_chart_is_printed(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("many"))
    expect(page.locator(".plot canvas").first).to_be_visible()
    page.evaluate(PRINTED)
    page.pdf(prefer_css_page_size=True)

    printed = page.evaluate("window.printed")
    assert printed["figures"] > 100
    assert printed["drawn"] == printed["figures"]
    assert page.locator("figure").count() < 100  # folded again


def test_the_pages_of_rules_that_did_not_apply_are_not_printed(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("spikes"))
    expect(page.locator("#checks")).to_be_visible()
    page.evaluate(
        "addEventListener('beforeprint', () => (window.opened = [...document.querySelectorAll"
        "('details')].map((one) => [one.id, one.open])))"
    )
    page.pdf(prefer_css_page_size=True)

    opened = dict(page.evaluate("window.opened"))
    assert opened.pop("checks") is False
    assert all(opened.values())


def test_a_view_is_remembered_for_its_project_and_can_be_saved(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("spikes"))
    page.get_by_role("button", name="Large charts").click()
    page.get_by_label("Smoothing").select_option("ema")
    page.get_by_role("button", name="log x").click()
    figure = chart(page, "Gradient norm of the policy")
    figure.hover()
    figure.get_by_role("button", name="Pin Gradient norm of the policy").click()
    expect(page.get_by_role("region", name="Pinned").locator("figure")).to_have_count(1)
    page.get_by_role("button", name="View: changed").click()
    page.get_by_label("Name of the view").fill("mine")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="View: mine")).to_be_visible()

    page.goto(find("ranks"))  # of the same project, with an address that says nothing
    expect(page.get_by_role("button", name="View: mine")).to_be_visible()
    expect(page.get_by_label("Smoothing")).to_have_value("ema")
    page.get_by_role("button", name="View: mine").click()
    page.get_by_role("button", name="default").click()
    expect(page.get_by_label("Smoothing")).to_have_value("none")


def test_any_run_is_overlaid(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("story"))
    figure = chart(page, "Policy entropy")
    expect(figure.locator(".legend")).to_have_count(0)
    page.get_by_role("button", name="Overlay run").click()
    page.get_by_label("Search runs to overlay").fill("resumed|spikes")
    page.get_by_role("button", name="spikes").click()

    expect(page).to_have_url(re.compile("behind="))
    page.keyboard.press("Escape")
    returned = chart(page, "Average episode return")
    expect(returned.locator(".legend")).to_contain_text("spikes")


def test_the_range_of_siblings_lies_behind_every_chart_until_it_is_switched_off(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("seed-4"), width=1440)
    hero = page.locator(".hero")
    expect(hero).to_contain_text("4 siblings")
    with_range = hero.locator("canvas").screenshot()

    page.get_by_role("button", name="Siblings").click()

    expect(hero).not_to_contain_text("siblings")
    expect(page).to_have_url(re.compile("behind=none"))
    assert hero.locator("canvas").screenshot() != with_range
    page.reload()
    expect(page.get_by_role("button", name="Siblings")).to_have_attribute("aria-pressed", "false")


def test_settings_are_told_against_defaults_and_siblings_and_are_saved(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("seed-4"))
    page.get_by_role("link", name="Config").click()

    expect(page.get_by_role("row").filter(has_text="n_steps")).to_contain_text("2048")
    expect(page.get_by_label("What differs", exact=True)).to_contain_text("Nothing but the seed")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert json.loads(Path(download.value.path()).read_text())["n_steps"] == 1024


def test_a_chart_keeps_the_range_that_was_chosen(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("rich"))
    figure = chart(page, "Average episode return")
    figure.hover()
    figure.get_by_role("button", name="What is Average episode return?").click()
    figure.get_by_label("Lowest y").fill("0")
    figure.get_by_label("Highest y").fill("40")
    figure.get_by_label("Highest y").press("Enter")

    expect(page).to_have_url(re.compile(r"y=outcome%2Freturn_mean%3A0\.\.40"))


def test_settings_and_origin_are_compared_with_any_run(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(f"{find('rich')}/config")
    page.get_by_label("Compare the settings with").select_option(label="odd / spikes")

    settings, origin = page.get_by_label("Settings", exact=True), page.get_by_label("Origin")
    expect(settings.get_by_role("row").filter(has_text="model.lora")).to_contain_text("not set")
    expect(origin.get_by_role("row").filter(has_text="path")).to_contain_text("spikes")
    expect(origin).not_to_contain_text("python")  # both were made by the same one
    page.get_by_label("Only what differs").uncheck()
    expect(origin).to_contain_text("python")
    page.get_by_label("Search settings").fill("^lear.*rate")
    expect(settings.locator("tbody tr:not(.title)")).to_have_count(1)


def test_notes_are_kept_with_write(open_page: Open, tmp_path: Path) -> None:
    with rv.init("lab", "noted", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
    with serving(tmp_path, write=True) as at:
        page = open_page(at)
        page.get_by_role("button", name="Star this run").click()
        expect(page.get_by_role("button", name="Star this run")).to_have_text("★")
        page.get_by_role("button", name="Notes", exact=True).click()
        page.get_by_label("Tags").fill("paper, figure 2")
        page.get_by_label("Notes", exact=True).fill("the run of the paper")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("the run of the paper")).to_be_visible()
        page.reload()
        expect(page.get_by_text("figure 2")).to_be_visible()
        page.get_by_role("button", name="Notes", exact=True).click()
        page.get_by_label("Name", exact=True).fill("best one")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("heading", name="best one")).to_be_visible()
        page.get_by_role("button", name="Archive", exact=True).click()
        expect(page.get_by_role("button", name="Archived")).to_be_visible()
        page.get_by_role("button", name="View: default").click()
        page.get_by_label("Name of the view").fill("for all")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Kept beside the runs")).to_be_visible()
        page.goto("about:blank")
    kept = json.loads((tmp_path / ".runvitals.json").read_text())
    assert "for all" in json.dumps(kept["views"])
    with serving(tmp_path) as at:
        page = open_page(at)
        expect(page.get_by_text("the run of the paper")).to_be_visible()
        expect(page.get_by_role("button", name="Star this run")).to_have_count(0)
        page.goto("about:blank")


def test_new_points_do_not_undo_what_is_typed_into_the_notes(
    open_page: Open, tmp_path: Path
) -> None:
    with rv.init("lab", "noted", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
        run.flush()
        with serving(tmp_path, write=True) as at:
            page = open_page(at)
            expect(page.locator("figure strong").first).to_have_text("1")
            page.get_by_role("button", name="Notes", exact=True).click()
            page.get_by_label("Name", exact=True).fill("half typed")

            run.log({"outcome/return_mean": 2.0}, step=1)
            run.flush()

            expect(page.locator("figure strong").first).to_have_text("2")
            expect(page.get_by_label("Name", exact=True)).to_have_value("half typed")
            page.goto("about:blank")


def test_a_notice_about_the_whole_log_marks_no_chart(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(find("layers"))
    expect(page.get_by_text("DATA001").first).to_be_visible()
    expect(page.locator("figure").first).to_be_visible()

    expect(page.get_by_text("with findings")).to_have_count(0)


def test_odd_runs_are_told_as_they_are(open_page: Open, find: Callable[[str], str]) -> None:
    page = open_page(find("no-points"))
    expect(page.get_by_text("there is nothing to grade")).to_be_visible()

    page.goto(find("one-point"))
    expect(chart(page, "Average episode return").locator("strong")).to_have_text("0.3")

    page.goto(find("all-nan"))
    expect(page.get_by_text("no finite value")).to_be_visible()
    expect(page.get_by_text("50 not finite")).to_be_visible()
    expect(page.get_by_text(re.compile("Not checked: outcome"))).to_be_visible()

    page.goto(find("sizes"))
    expect(chart(page, "huge").locator("strong")).to_have_text("5e301")
    expect(chart(page, "tiny").locator("strong")).to_have_text("4.9e−29")

    page.goto(find("resumed"))
    expect(chart(page, "Average episode return").get_by_text("resumed")).to_be_visible()

    page.goto(find("ranks"))
    figure = chart(page, "seconds")
    expect(figure).to_contain_text("highest 9 (rank 2)")
    figure.get_by_role("button", name="each rank").click()
    expect(figure.locator(".legend button")).to_have_count(4)


def test_a_server_that_comes_back_is_found(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    with rv.init("lab", "now", dir=tmp_path, **QUIET) as run:
        run.log({"outcome/return_mean": 1.0}, step=0)
        run.log({"outcome/return_mean": 2.0}, step=1)
        run.flush()
        with serving(tmp_path) as at:
            page.goto(at)
            value = page.locator("figure strong").first
            expect(value).to_have_text("2", timeout=PATIENCE)
        expect(page.get_by_text("connection lost")).to_be_visible(timeout=PATIENCE)
        run.log({"outcome/return_mean": 3.0}, step=2)
        run.flush()

        with serving(tmp_path, port=urlsplit(at).port or 0):
            expect(value).to_have_text("3", timeout=PATIENCE)
            expect(page.get_by_text("connection lost")).to_be_hidden()
            context.close()


def test_media_are_shown_at_any_step_and_in_full_size(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(f"{find('rich')}")
    page.get_by_role("link", name="Media").click()
    frame = page.get_by_role("article").filter(has_text="eval/frame")
    expect(frame).to_contain_text("after 150 updates")

    page.keyboard.press("[")

    expect(frame).to_contain_text("after 100 updates")
    expect(frame.locator("img").first).to_have_js_property("naturalWidth", 30)
    expect(page.get_by_role("cell", name="100")).to_be_visible()
    expect(page).to_have_url(re.compile("step=100"))  # the address rests before it is written
    page.reload()
    expect(frame).to_contain_text("after 100 updates")
    frame.get_by_role("button", name="eval/frame at step 0").click()  # one of the small ones
    expect(frame).to_contain_text("after 0 updates")
    frame.get_by_title("Full size").click()
    expect(page.get_by_role("button", name="Close")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Close")).to_have_count(0)


def test_media_lie_beside_those_of_another_run_and_tables_are_sorted_and_saved(
    open_page: Open, serve: Callable[[Path], str], tmp_path: Path
) -> None:
    for name, level in (("one", 10), ("other", 200)):
        with rv.init("lab", name, dir=tmp_path, **QUIET) as run:
            for step in (0, 5):
                frame = np.full((8, 8, 3), level + step, np.uint8)
                run.log_image("eval/frame", frame, step=step, caption=f"{name} at {step}")
            rows = [[1, 9.0], [2, 100.0], [3, 20.0]]
            run.log_table("eval/levels", ["level", "return"], rows, step=5)
    at = serve(tmp_path)
    page = open_page(at)
    page.get_by_role("link", name="one").click()
    page.get_by_role("link", name="Media").click()
    page.get_by_label("Show those of another run beside them").select_option("beside other")

    frame = page.get_by_role("article").filter(has_text="eval/frame")
    expect(frame).to_contain_text("other at 5")
    frame.get_by_title("Full size").first.click()
    page.keyboard.press("ArrowLeft")
    large = page.locator(".large")
    expect(large).to_contain_text("one at 0")
    expect(large).to_contain_text("other at 0")
    page.keyboard.press("Escape")
    own = page.get_by_role("region", name="eval/levels").first
    own.get_by_role("button", name="return").click()
    expect(own.locator("tbody td:nth-child(2)")).to_have_text(["100", "20", "9"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Save 3 rows as CSV").first.click()
    assert Path(download.value.path()).read_text().split()[1] == "1,9.0"


def test_the_history_is_a_time_line_whose_marks_lead_to_what_happened(
    open_page: Open, find: Callable[[str], str]
) -> None:
    page = open_page(f"{find('story')}/history")
    line = page.get_by_label("Time line")
    expect(line).to_contain_text("Critical")

    line.get_by_role("button").first.click()

    expect(page.locator("li.chosen")).to_be_in_viewport()
