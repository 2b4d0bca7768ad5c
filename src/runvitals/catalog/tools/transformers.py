"""Names that Hugging Face Transformers Trainer logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
optim/loss: loss  # sum of step losses / steps since last log; of whatever task is trained
lm/loss: loss [SFT | pre-training]  # sum of step losses / steps since last log
optim/grad_norm: grad_norm
optim/learning_rate: learning_rate
progress/epoch: epoch
progress/step: step | train/global_step
progress/tokens: num_input_tokens_seen
throughput/tokens_per_s: train_tokens_per_second
eval/loss: eval_loss
eval/loss (split=test): test_loss
eval/supervised/accuracy: eval_accuracy  # of compute_metrics
eval/supervised/metric (name={metric}): eval_{metric}
eval/loss: eval_{dataset}_loss
time/eval_s: eval_runtime
throughput/eval_samples_per_s: eval_samples_per_second
throughput/eval_steps_per_s: eval_steps_per_second
none: eval_model_preparation_time | eval_samples | train_samples
time/elapsed_s: train_runtime
throughput/samples_per_s: train_samples_per_second
throughput/updates_per_s: train_steps_per_second
optim/loss_run_mean: train_loss
throughput/total_flops: total_flos
"""

FRAMEWORK = Framework(
    id="transformers",
    title="Hugging Face Transformers Trainer",
    version="5.22.2 (names unchanged since 4.x except where noted)",
    names=("hf", "hf-trainer", "huggingface"),
    kind="llm",
    marks=(
        "loss grad_norm learning_rate epoch",
        "train/loss train/learning_rate train/epoch",
        "train/loss train/epoch train/global_step",
        "eval_runtime eval_samples_per_second",
        "eval/runtime eval/samples_per_second",
        "train_runtime train_samples_per_second",
        "total_flos",
    ),
    aliases=aliases(NAMES),
)
