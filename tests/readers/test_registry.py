"""Which reader is asked about a file, and in which order."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.outside import outside

from runvitals.readers.raw.source import head
from runvitals.readers.registry import reader_for, readers

CSV = "rollout/ep_rew_mean,time/total_timesteps,train/approx_kl\n" + "".join(
    f"{step},{2048 * step},0.01\n" for step in range(1, 40)
)


def test_readers_that_can_be_less_sure_are_not_asked_about_a_file_that_is_known(
    tmp_path: Path,
) -> None:
    path = tmp_path / "progress.csv"
    path.write_text(CSV)
    found = reader_for(path)

    assert found is not None
    sure = found.sniff(path, head(path))
    spared = {reader.id for reader in readers() if reader.at_most < sure}
    assert {"key-value-text", "sb3-table"} <= spared


def test_no_reader_is_surer_of_a_log_than_it_says_it_ever_is() -> None:
    wrong = []
    for path in sorted(outside("corpus/public2").rglob("*")):
        if path.is_file():
            start = head(path)
            wrong += [
                (path.name, reader.id)
                for reader in readers()
                if reader.at_most < 100 and reader.sniff(path, start) > reader.at_most
            ]

    assert wrong == []


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.id)
def test_a_reader_can_be_sent_to_another_process(reader):
    assert pickle.loads(pickle.dumps(reader)) is reader
