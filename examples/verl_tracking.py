"""veRL: `trainer.logger=[console,runvitals]` is all; this shows the `Tracking` that its trainers use.

The plugin loads by itself where runvitals is installed.
"""

from verl.utils.tracking import Tracking

config = {"algorithm": {"adv_estimator": "grpo"}, "data": {"train_batch_size": 8}}
tracking = Tracking("math", "grpo", default_backend=["runvitals"], config=config)
for step in range(1, 31):
    tracking.log(
        {
            "critic/score/mean": 0.2 + 0.02 * step,
            "actor/entropy": 0.5,
            "actor/ppo_kl": 0.001,
            "response_length/mean": 100.0,
        },
        step=step,
    )
tracking.finish()
