"""What SARIF 2.1.0 (OASIS) asks of the objects that we write: our own words, not its schema file."""

from __future__ import annotations

from typing import Any

import jsonschema


def text_schema(**properties):
    """An object of SARIF 2.1.0 with exactly these properties; those with `!` have to be there."""
    return {
        "type": "object",
        "properties": {key.rstrip("_"): value for key, value in properties.items()},
        "required": [key[:-1] for key in properties if key.endswith("_")],
        "additionalProperties": False,
    }


# What the specification (OASIS, 2.1.0) says of the objects that we write; `name_` is required.
STRING = {"type": "string"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = text_schema(text_=STRING)
URI = {"type": "string", "pattern": r"^([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$"}
PLACE = text_schema(artifactLocation=text_schema(uri=URI))
LOCATIONS = {"type": "array", "items": text_schema(physicalLocation=PLACE)}
DRIVER = text_schema(
    name_=STRING,
    version=STRING,
    rules={"type": "array", "items": text_schema(id_=STRING, name=STRING), "uniqueItems": True},
)
NOTE = text_schema(message_=MESSAGE, level=LEVEL, locations=LOCATIONS)
INVOCATION = text_schema(
    executionSuccessful_={"type": "boolean"},
    toolExecutionNotifications={"type": "array", "items": NOTE},
)
RESULT = text_schema(
    message_=MESSAGE, ruleId=STRING, level=LEVEL, locations=LOCATIONS, properties={"type": "object"}
)
RUN = text_schema(
    tool_=text_schema(driver_=DRIVER),
    invocations={"type": "array", "items": INVOCATION},
    results={"type": "array", "items": RESULT},
)
SARIF = {
    "type": "object",
    "properties": {
        "$schema": STRING,
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": RUN},
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}


def check_sarif(report: dict[str, Any]) -> None:
    """Raises where a report is not as the specification asks; every result names a rule of it."""
    jsonschema.validate(report, SARIF)
    for run in report["runs"]:
        known = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        assert len(known) == len(set(known))
        assert {result["ruleId"] for result in run["results"]} <= set(known)
