"""Sinks out of the recorder: TensorBoard, CSV, console; and exports of recorded runs.

Nothing heavy is imported until one of the names below is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.lazy_names import lazy_names

if TYPE_CHECKING:
    from runvitals.exporters.console import ConsoleSink
    from runvitals.exporters.csv import CsvSink, export_csv
    from runvitals.exporters.files import export_jsonl, export_media, export_parquet
    from runvitals.exporters.tensorboard import TensorBoardSink, export_tensorboard

__all__ = [
    "ConsoleSink",
    "CsvSink",
    "TensorBoardSink",
    "export_csv",
    "export_jsonl",
    "export_media",
    "export_parquet",
    "export_tensorboard",
]

_HOMES = {
    "ConsoleSink": "console",
    "CsvSink": "csv",
    "TensorBoardSink": "tensorboard",
    "export_csv": "csv",
    "export_jsonl": "files",
    "export_media": "files",
    "export_parquet": "files",
    "export_tensorboard": "tensorboard",
}


__getattr__ = lazy_names(__name__, _HOMES)
