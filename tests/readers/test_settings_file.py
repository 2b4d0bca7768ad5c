"""Where the user's settings are looked for, and what is said when they cannot be read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runvitals.model import ConfigError
from runvitals.readers.options import options_from
from runvitals.readers.settings_file import SettingsFile, settings_file


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_file_in_the_folder_or_above_counts(tmp_path):
    written(tmp_path / "runvitals.toml", 'ignore = ["KL"]')
    nearest = written(tmp_path / "a" / "runvitals.toml", "preview = true")
    (tmp_path / "a" / "b").mkdir()

    found = settings_file(folder=tmp_path / "a" / "b")

    assert found.path == nearest
    assert found.table == {"preview": True}


def test_runvitals_toml_goes_before_pyproject_in_the_same_folder(tmp_path):
    written(tmp_path / "pyproject.toml", "[tool.runvitals]\npreview = false")
    ours = written(tmp_path / "runvitals.toml", "preview = true")

    assert settings_file(folder=tmp_path).path == ours


@pytest.mark.parametrize(
    "text",
    ["[tool.other]\nname = 'runvitals'", "tool = 3", "name = 'runvitals", "[project]"],
    ids=["of another tool", "no table of tools", "broken, and nothing of ours", "nothing of ours"],
)
def test_a_pyproject_without_our_table_is_passed_over(tmp_path, text):
    above = written(tmp_path / "runvitals.toml", "")
    written(tmp_path / "a" / "pyproject.toml", text)

    assert settings_file(folder=tmp_path / "a").path == above


def test_a_broken_pyproject_with_our_table_is_named(tmp_path):
    written(tmp_path / "pyproject.toml", "[tool.runvitals]\nselect = [")

    with pytest.raises(ConfigError, match=r"not valid TOML(.|\n)*pyproject\.toml"):
        settings_file(folder=tmp_path).table  # noqa: B018


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("selct = 3", "there is no setting 'selct'", "did you mean select?"),
        ("colour = 3", "there is no setting 'colour'", "the settings are framework, "),
        ("[map]\nkl = 3", "`map` must be a table of names", 'my_kl = "policy/approx_kl"'),
        ("framework = 3", "`framework` must be text, got 3", ""),
        ('framework = "no such tool"', "no framework called 'no such tool'", "known: "),
        ('[map]\nkl = "policy/aprox_kl"', "no metric 'policy/aprox_kl'", "policy/approx_kl"),
        ("a\nb", "not valid TOML: Expected '=' after a key", ""),
    ],
)
def test_mistakes_are_told_with_the_file_and_what_to_do(tmp_path, text, says, hint):
    path = written(tmp_path / "runvitals.toml", text)

    with pytest.raises(ConfigError) as error:
        options_from(settings_file(folder=tmp_path))

    assert says in error.value.what
    assert error.value.where == str(path)
    assert hint in (error.value.hint or "")


def test_a_file_that_was_named_has_to_be_there(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the settings(.|\n)*no\.toml(.|\n)*hint"):
        settings_file(tmp_path / "no.toml")
    with pytest.raises(ConfigError, match="cannot read the settings"):
        settings_file(tmp_path)


def test_a_mark_of_byte_order_is_no_mistake(tmp_path):
    (tmp_path / "runvitals.toml").write_bytes(b"\xef\xbb\xbfpreview = true\n")

    assert settings_file(folder=tmp_path).table == {"preview": True}


def test_text_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "runvitals.toml").write_bytes(b"algorithm = '\xff'")

    with pytest.raises(ConfigError, match="not text in UTF-8"):
        settings_file(folder=tmp_path)


def test_a_path_is_shown_short_where_one_works_and_whole_elsewhere(tmp_path, monkeypatch):
    here = written(tmp_path / "here" / "runvitals.toml", "")
    above = written(tmp_path / "runvitals.toml", "")
    monkeypatch.chdir(tmp_path / "here")

    assert SettingsFile(here, "").shown == "runvitals.toml"
    assert SettingsFile(above, "").shown == str(above)


def test_addresses_with_passwords_are_not_shown_in_tracebacks(tmp_path):
    written(tmp_path / "runvitals.toml", 'notify = ["mailto://me:secret@host"]')

    assert "secret" not in repr(settings_file(folder=tmp_path))


def test_a_working_folder_that_was_removed_has_no_settings(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})\n"
        "from runvitals.readers.settings_file import settings_file\n"
        "print(settings_file())"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )

    assert done.stdout == "None\n", done.stderr


def test_looking_for_settings_needs_no_numpy():
    code = (
        "import sys; from runvitals.readers.settings_file import settings_file; settings_file()\n"
        "print('numpy' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )

    assert done.stdout == "False\n", done.stderr
