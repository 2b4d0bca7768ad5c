"""The catalog, the rule book and what the server says of itself."""

from __future__ import annotations

from runvitals import __version__, catalog
from runvitals.rules.registry import rules


def test_every_metric_is_listed_and_has_a_page(site):
    client = site()

    listed = client.get("/api/metrics").json()["metrics"]

    assert {one["id"] for one in listed} == set(catalog.METRICS)
    [kl] = [one for one in listed if one["id"] == "policy/approx_kl"]
    assert kl["aliases"].count("train/approx_kl") == 1
    for id in ("policy/approx_kl", "eval/preference/margin"):
        page = client.get(f"/api/metrics/{id}").json()
        assert page["id"] == id
        assert page["meaning"]


def test_a_metric_is_found_by_the_name_a_tool_gives_it(site):
    page = site().get("/api/metrics/actor/ppo_kl").json()

    assert page["id"].startswith("policy/")
    assert any(name["framework"] == "verl" for name in page["names"])


def test_every_rule_has_a_page_in_sections(site):
    client = site()

    listed = client.get("/api/rules").json()["rules"]
    page = client.get("/api/rules/kl001").json()

    assert [one["code"] for one in listed] == list(rules())
    assert page["code"] == "KL001"
    titles = [section["title"] for section in page["sections"]]
    assert "What it looks for" in titles
    assert all(section["text"] for section in page["sections"])


def test_symptoms_have_titles_of_metrics_and_rules_that_exist(site):
    client = site()

    table = client.get("/api/symptoms").json()["symptoms"]

    assert [one["sign"] for one in table] == [one.sign for one in catalog.SYMPTOMS]
    assert {code for one in table for code in one["rules"]} <= set(rules())
    [slow] = [one for one in table if one["sign"] == "Training is slow"]
    assert slow["check_first"][0] == {"id": "time/step_s", "title": "Time of one step"}


def test_lists_of_what_to_watch_begin_with_the_reading_order(site):
    lists = site().get("/api/watch-lists").json()["lists"]

    assert lists[0]["id"] == "reading-order"
    assert {one["id"] for one in lists} == set(catalog.SCENARIOS)
    assert lists[0]["groups"][0]["metrics"][0]["id"] == "eval/mean_at_n"
    [ppo] = [one for one in lists if one["id"] == "ppo-grpo"]
    assert ppo["groups"][1]["metrics"][0]["names"] == ["actor/loss"]


def test_the_glossary_is_in_alphabetical_order(site):
    words = [one["word"] for one in site().get("/api/glossary").json()["terms"]]

    assert words == sorted(catalog.TERMS, key=str.casefold)


def test_what_nobody_knows_is_not_found(site):
    client = site()

    assert client.get("/api/metrics/no/such/thing").status_code == 404
    assert client.get("/api/rules/XYZ999").status_code == 404
    assert client.get("/api/nothing").status_code == 404


def test_the_server_tells_its_version_and_folders(site, tmp_path):
    told = site().get("/api/about").json()

    assert told["version"] == __version__
    assert told["roots"] == [str(tmp_path)]


def test_the_binary_header_is_described_too(site):
    schemas = site().get("/api/openapi.json").json()["components"]["schemas"]

    assert {"RunDetail", "SeriesAnswer", "SeriesHeader", "LiveEvent"} <= set(schemas)
