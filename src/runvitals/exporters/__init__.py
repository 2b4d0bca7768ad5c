"""Sinks out of the recorder: TensorBoard, CSV, console; and exports of recorded runs.

Nothing heavy is imported until one of the names below is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.lazy_names import homes, lazy_names

if TYPE_CHECKING:
    from runvitals.exporters.console import ConsoleSink as ConsoleSink
    from runvitals.exporters.csv import CsvSink as CsvSink
    from runvitals.exporters.csv import export_csv as export_csv
    from runvitals.exporters.files import export_jsonl as export_jsonl
    from runvitals.exporters.files import export_media as export_media
    from runvitals.exporters.files import export_parquet as export_parquet
    from runvitals.exporters.tensorboard import TensorBoardSink as TensorBoardSink
    from runvitals.exporters.tensorboard import export_tensorboard as export_tensorboard

_HOMES = homes("""
console: ConsoleSink
csv: CsvSink export_csv
files: export_jsonl export_media export_parquet
tensorboard: TensorBoardSink export_tensorboard
""")
__all__ = sorted(_HOMES)


__getattr__ = lazy_names(__name__, _HOMES)
