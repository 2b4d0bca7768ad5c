"""What the API answers. These models are the contract with `web/`, which makes its types from them.

Numbers that are NaN or infinite arrive as null. Steps are whole numbers, times are Unix seconds.
Characters in names and texts that nobody would see are written as codes (`visible.py`); a request may
name a thing by what it was told.
"""

from __future__ import annotations

from runvitals.view.schemas.basics import ChartKind, Scalar, Section, Severity, Words
from runvitals.view.schemas.charts import Chart, HealthyBand, SeriesName
from runvitals.view.schemas.comparison import (
    ComparedRun,
    ComparisonPage,
    ConfigDifference,
    FinalValues,
    Group,
    GroupCurve,
    GroupCurves,
    RunSiblings,
    SharedFinding,
    Sibling,
)
from runvitals.view.schemas.events import Console, Heatmap, RunEvent, RunEvents, SampleRow, Samples
from runvitals.view.schemas.judgement import (
    FindingCard,
    GradeLine,
    LevelsCard,
    SkippedRule,
    StepSpan,
    Threshold,
    VerdictCard,
    VerdictWord,
)
from runvitals.view.schemas.knowledge import (
    CatalogBand,
    MetricDetail,
    MetricList,
    MetricName,
    MetricRow,
    RuleDetail,
    RuleList,
    RuleRow,
    RuleSection,
)
from runvitals.view.schemas.run import Milestones, ProcessLife, RunDetail, VitalSign
from runvitals.view.schemas.run_list import (
    Alarms,
    ListedMetrics,
    MetricColumn,
    MetricInRuns,
    OutcomeSpark,
    RunColumns,
    RunList,
    RunRow,
)
from runvitals.view.schemas.series import SeriesAnswer, SeriesArray, SeriesHeader
from runvitals.view.schemas.server import About, LiveEvent, Problem
from runvitals.view.schemas.symptoms import (
    Glossary,
    MetricLink,
    ReadingGroup,
    ReadingList,
    ReadingLists,
    ReadingMetric,
    SymptomList,
    SymptomRow,
    TermRow,
)

__all__ = [
    "About",
    "Alarms",
    "CatalogBand",
    "Chart",
    "ChartKind",
    "ComparedRun",
    "ComparisonPage",
    "ConfigDifference",
    "Console",
    "FinalValues",
    "FindingCard",
    "Glossary",
    "GradeLine",
    "Group",
    "GroupCurve",
    "GroupCurves",
    "HealthyBand",
    "Heatmap",
    "LevelsCard",
    "ListedMetrics",
    "LiveEvent",
    "MetricColumn",
    "MetricDetail",
    "MetricInRuns",
    "MetricLink",
    "MetricList",
    "MetricName",
    "MetricRow",
    "Milestones",
    "OutcomeSpark",
    "Problem",
    "ProcessLife",
    "ReadingGroup",
    "ReadingList",
    "ReadingLists",
    "ReadingMetric",
    "RuleDetail",
    "RuleList",
    "RuleRow",
    "RuleSection",
    "RunColumns",
    "RunDetail",
    "RunEvent",
    "RunEvents",
    "RunList",
    "RunRow",
    "RunSiblings",
    "SampleRow",
    "Samples",
    "Scalar",
    "Section",
    "SeriesAnswer",
    "SeriesArray",
    "SeriesHeader",
    "SeriesName",
    "Severity",
    "SharedFinding",
    "Sibling",
    "SkippedRule",
    "StepSpan",
    "SymptomList",
    "SymptomRow",
    "TermRow",
    "Threshold",
    "VerdictCard",
    "VerdictWord",
    "VitalSign",
    "Words",
]
