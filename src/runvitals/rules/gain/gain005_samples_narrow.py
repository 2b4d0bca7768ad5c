from runvitals.rules.gain import change_of, is_fall, is_rise
from runvitals.rules.kit import Hit, Patient, rule


@rule("GAIN005", severity="notice", needs=["gain/pass_at_k", "gain/pass_at_1"])
def samples_narrow(patient: Patient, *, least: float = 0.05) -> Hit | None:
    """pass@k falls while pass@1 rises.

    ## What it looks for
    The share of prompts that at least one sample solves falls by 5 percentage points, while the share
    of samples that do rises by as much.

    ## Why it matters
    The policy becomes surer of what it could do already, and loses what it could do now and then.
    Prompts without any right sample have no gradient.

    ## Usual causes
    1. The entropy has collapsed.
    2. Nothing rewards rare solutions.

    ## What to try
    Raise the clip bound for rising probabilities, add an entropy bonus or a KL term, and sample more.

    ## When to ignore it
    Only one sample is ever drawn later.

    ## Sources
    Yue et al. (2025), Does RL really incentivize reasoning capacity; DAPO (clip-higher).
    """
    one = change_of(patient.find("gain/pass_at_1"), least)
    several = change_of(patient.find("gain/pass_at_k"), least)
    if several is not None and one is not None and is_rise(one) and is_fall(several):
        return several.found().hit(
            f"pass@k falls from {several.start:.0%} to {several.now:.0%} while pass@1 rises from "
            f"{one.start:.0%} to {one.now:.0%}",
            advice="keep the entropy up, and sample more per prompt",
            causes=("entropy collapse", "rare solutions are not rewarded"),
            also=("gain/pass_at_1",),
        )
    return None
