"""What was said of a run, as its page shows it."""

from runvitals.render.judged import Judged
from runvitals.view.json_safe import visible
from runvitals.view.schemas.judgement import Judgement, seen

MAX_NAMES = 20  # that were not understood; `runvitals names` has them all


def judgement_of(one: Judged) -> Judgement:
    """The diagnosis, findings about the run first, and what could not be judged."""
    said = seen(Judgement, one.diagnosis)
    said.findings.sort(key=lambda finding: finding.about_log)
    said.nothing_to_judge = one.nothing_to_judge and visible(one.nothing_to_judge)
    said.not_understood = list(map(visible, one.not_understood[:MAX_NAMES]))
    return said
