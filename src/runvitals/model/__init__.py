"""The records everything else speaks in."""

from runvitals.model.errors import (
    ConfigError,
    DamagedError,
    EmptyLogError,
    IndexFailure,
    ReadError,
    RemoteError,
    RunBusyError,
    RunExistsError,
    RunTakenError,
    RunvitalsError,
    RunvitalsWarning,
    StopTraining,
    StoreError,
)
from runvitals.model.expectation import Expectation, read_expectation
from runvitals.model.finding import (
    SEVERITIES,
    Diagnosis,
    Finding,
    FindingChange,
    Grade,
    Hit,
    Limit,
    NotChecked,
    OutcomeLevels,
    Quote,
    Severity,
    Span,
    Verdict,
    all_findings,
)
from runvitals.model.metric import (
    Alias,
    Band,
    BandKind,
    Certainty,
    ConfigKey,
    Direction,
    Framework,
    Metric,
    Scenario,
    Symptom,
    Term,
    WatchGroup,
)
from runvitals.model.points.table import PointTable
from runvitals.model.rollout import Asked, Digest, LastDigest, Rollout, Stretch, Turn
from runvitals.model.row import (
    Event,
    FloatArray,
    Histogram,
    IntArray,
    Media,
    Row,
    RowBlock,
    Sample,
    Text,
)
from runvitals.model.run import Binding, Gap, OutcomeCurve, Run, SiblingCurves, Wanted
from runvitals.model.series import HistogramSeries, Series
from runvitals.model.sink import STORE, Loss, Losses, RunInfo, Sink, read_loss
from runvitals.model.text import labelled, split_labels
