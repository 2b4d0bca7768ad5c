"""`/api/metrics`, `/api/rules`, `/api/symptoms`, `/api/watch-lists`, `/api/glossary`, `/api/about`."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response

from runvitals import __version__
from runvitals.server.answers import answer
from runvitals.server.routes.described import NOT_FOUND
from runvitals.server.scopes import sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.knowledge.metrics_and_rules import (
    glossary,
    metric_detail,
    metric_list,
    reading_lists,
    rule_detail,
    rule_list,
    symptom_list,
)
from runvitals.view.schemas.knowledge import (
    About,
    Glossary,
    MetricDetail,
    MetricList,
    ReadingLists,
    RuleDetail,
    RuleList,
    SymptomList,
)

MetricId = Annotated[str, Path(description="An id or a name.", examples=["policy/approx_kl"])]
RuleCode = Annotated[str, Path(description="A code or a name.", examples=["KL001"])]


def router(dashboard: Dashboard) -> APIRouter:
    """What runvitals knows, and this server."""
    made = APIRouter(prefix="/api", tags=["knowledge"])

    @made.get("/metrics", response_model=MetricList)
    def metrics(request: Request) -> Response:
        """The catalog of metrics."""
        return answer(request, metric_list())

    @made.get("/metrics/{id:path}", response_model=MetricDetail, responses=NOT_FOUND)
    def metric(request: Request, id: MetricId) -> Response:
        """A metric in full, by its id or by a name that a tool gives it."""
        found = metric_detail(id)
        if found is None:
            raise HTTPException(404, f"no metric {id!r} is known")
        return answer(request, found)

    @made.get("/rules", response_model=RuleList)
    def rules(request: Request) -> Response:
        """The rule book."""
        return answer(request, rule_list())

    @made.get("/rules/{code}", response_model=RuleDetail, responses=NOT_FOUND)
    def rule(request: Request, code: RuleCode) -> Response:
        """A rule in full, by code or name."""
        found = rule_detail(code)
        if found is None:
            raise HTTPException(404, f"there is no rule {code!r}")
        return answer(request, found)

    @made.get("/symptoms", response_model=SymptomList)
    def symptoms(request: Request) -> Response:
        """Signs, where to look first and next, and the rules that look for them."""
        return answer(request, symptom_list())

    @made.get("/watch-lists", response_model=ReadingLists)
    def watch_lists(request: Request) -> Response:
        """What to watch first, then, for each kind of training."""
        return answer(request, reading_lists())

    @made.get("/glossary", response_model=Glossary)
    def words(request: Request) -> Response:
        """The words of the trade."""
        return answer(request, glossary())

    @made.get("/about", response_model=About)
    def about(request: Request) -> Response:
        """This server: its version and the folders it shows."""
        return answer(request, _about(dashboard))

    return made


def _about(dashboard: Dashboard) -> About:
    library = dashboard.library
    everything = sees_everything()
    return About(
        name="runvitals",
        version=__version__,
        roots=[str(root) for root in library.roots] if everything else [],
        runs=sum(1 for row in library.rows() if everything or dashboard.may_read(row.id)),
        started=dashboard.started,
    )
