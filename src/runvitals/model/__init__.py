"""The records everything else speaks in."""

from runvitals.model.errors import (
    ConfigError,
    ReadError,
    RunBusyError,
    RunExistsError,
    RunvitalsError,
    RunvitalsWarning,
    StoreError,
)
from runvitals.model.finding import Finding, Hit, Severity, Span
from runvitals.model.labels import labelled, split_labels
from runvitals.model.metric import (
    Alias,
    Band,
    ConfigKey,
    Direction,
    Framework,
    Metric,
    Scenario,
    Symptom,
    Term,
    WatchGroup,
)
from runvitals.model.points import PointTable
from runvitals.model.row import (
    Event,
    FloatArray,
    Histogram,
    IntArray,
    Row,
    RowBlock,
    Sample,
    Text,
)
from runvitals.model.run import Binding, Run
from runvitals.model.series import Series
from runvitals.model.sink import RunInfo, Sink

__all__ = [
    "Alias",
    "Band",
    "Binding",
    "ConfigError",
    "ConfigKey",
    "Direction",
    "Event",
    "Finding",
    "FloatArray",
    "Framework",
    "Histogram",
    "Hit",
    "IntArray",
    "Metric",
    "PointTable",
    "ReadError",
    "Row",
    "RowBlock",
    "Run",
    "RunBusyError",
    "RunExistsError",
    "RunInfo",
    "RunvitalsError",
    "RunvitalsWarning",
    "Sample",
    "Scenario",
    "Series",
    "Severity",
    "Sink",
    "Span",
    "StoreError",
    "Symptom",
    "Term",
    "Text",
    "WatchGroup",
    "labelled",
    "split_labels",
]
