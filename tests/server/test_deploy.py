"""The files in deploy/ name options, variables and files that exist."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from runvitals.cli.main import app
from runvitals.server.scopes import read_tokens

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNIT = (DEPLOY / "runvitals.service").read_text()


def serve_options():
    command = typer.main.get_command(app).get_command(None, "serve")
    options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    variables = {one.envvar for one in command.params if getattr(one, "envvar", None)}
    return options, variables


@pytest.mark.parametrize(
    "words",
    [
        COMPOSE["services"]["runvitals"]["command"],
        shlex.split(re.search(r"^ExecStart=\S+ (.*)$", UNIT, re.M)[1]),
    ],
    ids=["compose", "systemd"],
)
def test_serve_is_called_with_options_that_it_has(words):
    options, _ = serve_options()

    assert words[0] == "serve"
    given = {word for word in words if word.startswith("--")}
    assert given
    assert given <= options


def test_the_tokens_are_given_by_a_variable_that_serve_reads():
    _, variables = serve_options()

    assert "RUNVITALS_TOKENS" in variables
    assert (
        COMPOSE["services"]["runvitals"]["environment"]["RUNVITALS_TOKENS"] == "/run/secrets/tokens"
    )
    assert "tokens" in COMPOSE["services"]["runvitals"]["secrets"]
    assert "RUNVITALS_TOKENS=%d/tokens" in UNIT
    assert "LoadCredential=tokens:" in UNIT


def test_the_image_is_built_from_files_that_exist():
    build = COMPOSE["services"]["runvitals"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]

    assert context == ROOT
    containerfile = (context / build["dockerfile"]).read_text()
    [named] = re.findall(r"whl\)\[(\w+)\]", containerfile)
    assert named in extras


def test_an_image_never_holds_what_is_secret():
    left_out = (ROOT / ".dockerignore").read_text().splitlines()

    assert {"deploy/.env", "deploy/tokens.toml"} <= set(left_out)


def test_the_example_of_tokens_is_read(monkeypatch):
    monkeypatch.setenv("PPO_TOKEN", "a token of the readers")
    monkeypatch.setenv("ADMIN_TOKEN", "a token of the admins")

    readers = read_tokens(DEPLOY / "tokens.example.toml")

    assert [reader.projects for reader in readers] == [("ppo-*", "cartpole"), ("*",)]
