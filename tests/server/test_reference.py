"""The page that explains the API."""

from __future__ import annotations

import json
import re
import struct

import numpy as np
from tests.server.reference_page import PAGE, page

from runvitals.server.reference import binary_in_words, example

from .conftest import decode


def test_the_reference_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.server.reference_page"


def test_every_endpoint_has_an_example_that_works(gallery):
    document = gallery.get("/api/openapi.json").json()
    ids = [gallery.id_of("calm"), gallery.id_of("sick")]
    known = page().replace("3f2a9c0b7d1e", ids[0]).replace("a41c07e9d2b6", ids[1])

    examples = re.findall(r"curl -s 'http://127.0.0.1:6060([^']*)'", known)

    assert len(examples) == len(document["paths"]) - 1  # the stream has -N
    for path in examples:
        # the run has no histograms and no media, and there is no such project
        lacks = ("/histograms", "/media/", "project=")
        wanted = 404 if any(part in path for part in lacks) else 200
        assert gallery.get(path).status_code == wanted, path


def test_the_page_needs_no_script_and_its_links_lead_somewhere(gallery):
    answer = gallery.get("/api/docs")

    assert answer.headers["content-type"].startswith("text/html")
    assert "<script" not in answer.text
    assert " style=" not in answer.text
    anchors = set(re.findall(r' id="([^"]+)"', answer.text))
    assert set(re.findall(r'href="#([^"]+)"', answer.text)) <= anchors
    assert "series-in-binary" in anchors
    assert gallery.get("/api/docs.css").headers["content-type"].startswith("text/css")


def test_every_parameter_is_explained(gallery):
    document = gallery.get("/api/openapi.json").json()

    for path, methods in document["paths"].items():
        assert methods["get"]["description"], path
        for parameter in methods["get"].get("parameters", []):
            assert parameter.get("description"), (path, parameter["name"])


def test_the_bytes_in_the_reference_are_a_real_answer():
    body = example()
    (length,) = struct.unpack("<I", body[4:8])
    told = re.findall(r"\| (\d+) to (\d+) \| `([0-9a-f ]+)` \|", binary_in_words())

    for first, last, data in told:
        assert body[int(first) : int(last) + 1] == bytes.fromhex(data)
    assert json.loads(body[8 : 8 + length])["series"][0]["name"] == "loss"
    assert int(told[-1][1]) == len(body) - 1


def test_the_python_in_the_reference_reads_it():
    [code] = re.findall(r"```python\n(.*?)```", binary_in_words(), re.DOTALL)
    made: dict = {}
    exec(code, made)

    ours = made["decode"](example())["loss"]

    assert np.array_equal(ours["x"], decode(example())["loss"]["x"])
    assert ours["value"].tolist() == [0.5, 0.25]
