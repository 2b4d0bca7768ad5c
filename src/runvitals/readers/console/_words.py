"""The words that training loops print: what counts, what is measured, what only fills a line."""

from __future__ import annotations

COUNTERS = {
    name: place
    for place, name in enumerate(
        "timestep timesteps step steps update updates iteration iterations iter iters itr it batch "
        "batches minibatch mb frame frames episode episodes ep game games rollout round cycle "
        "generation gen trial epoch epochs".split()
    )
}
# What may stand before it: "warmup steps" and "steps per epoch" are settings.
BEFORE_COUNTER = frozenset(
    "global train training env environment total current learning agent num n outer inner val valid "
    "validation eval evaluation test policy optimizer optim learner actor game update gradient grad "
    "the time step main overall meta self play running starting".split()
)
AFTER_COUNTER = frozenset("num number no idx index".split())  # "Episode Num: 3"
# Words beside the number of things that something was averaged over.
WINDOWS = frozenset("over last past previous recent first top of for in across per".split())
SPLITS = frozenset(
    "val valid validation validating eval evaluation evaluating test testing dev".split()
)
# Words around a name that are not part of it: "finished with reward: 3", "reward total was 3".
FILLERS = frozenset(
    "a an the and with in at is was are after finished finish completed complete done ended has had "
    "took taken reached achieved got to from by on of for done logging now currently so "
    "far current".split()
)
NO_METRIC = frozenset(
    "pid tid rank line ip port thread worker actor_id device gpu cuda local_rank node eta v_num".split()
)
LEARNING = frozenset(
    "loss losses reward rewards return returns score scores acc accuracy lr learning kl entropy grad "
    "gradnorm gnorm ppl perplexity mse mae rmse nll bleu rouge f auc precision recall win wins winrate "
    "success epsilon eps advantage critic actor policy td error err dice iou psnr ssim fid bpb bpc "
    "elbo margin utility fitness profit episodic ret rew mrr ndcg wer cer corr".split()
)
STRONG = frozenset(
    "loss losses reward rewards return returns acc accuracy kl entropy ppl perplexity lr mse "
    "nll".split()
)
# Outcomes and losses, and what may stand beside them in a name: "avg train loss".
MEASURED = frozenset(
    "loss losses reward rewards return returns score scores acc accuracy entropy ppl perplexity mse "
    "mae rmse nll bleu".split()
)
BESIDE_MEASURED = frozenset(
    "avg average mean total train training best running final episode policy value critic actor "
    "cumulative max min".split()
)
OF_TRAINING = frozenset("lr learning time epsilon eps grad gnorm best patience".split())
TRAINING_COUNTS = frozenset(
    "epoch epochs ep episode episodes iteration iterations iter itr globalstep timestep timesteps "
    "totaltimesteps generation".split()
)
SHARES = frozenset("acc accuracy correct success win wins winrate solved passed".split())
ABSENT = frozenset({"none", "null", "n/a", "na", "true", "false"})  # where a number would stand
# Words that introduce values without saying what they are about.
GENERIC = frozenset(
    "result results metric metrics summary stats statistics final average mean info log logs report "
    "best train training epoch step iteration episode episodes debug update progress status current "
    "total performance overall output evaluate score scores".split()
)
