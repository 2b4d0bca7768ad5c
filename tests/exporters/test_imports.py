"""Exporters cost nothing until they are used."""

import subprocess
import sys

import pytest

import runvitals.exporters as exporters

HEAVY = {"pyarrow", "rich", "google_crc32c", "orjson", "tensorboard", "google.protobuf"}


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import runvitals.exporters", set()),
        ("from runvitals.exporters import TensorBoardSink", {"google_crc32c"}),
        ("from runvitals.exporters import ConsoleSink", set()),
        ("from runvitals.exporters import CsvSink", set()),
    ],
)
def test_only_what_is_needed_is_imported(statement, allowed):
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert HEAVY & set(loaded.stdout.split()) <= allowed


def test_every_public_name_is_there():
    assert all(callable(getattr(exporters, name)) for name in exporters.__all__)
    with pytest.raises(AttributeError):
        exporters.nothing  # noqa: B018
