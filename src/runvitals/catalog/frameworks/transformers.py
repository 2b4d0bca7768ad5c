"""Names that Hugging Face Transformers Trainer logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="transformers",
    title="Hugging Face Transformers Trainer",
    version="5.22.2 (names unchanged since 4.x except where noted)",
    names=("hf", "hf-trainer", "huggingface"),
    kind="llm",
    aliases=(
        Alias("loss", "optim/loss", note="sum of step losses / steps since last log"),
        Alias("grad_norm", "optim/grad_norm"),
        Alias("learning_rate", "optim/learning_rate"),
        Alias("epoch", "progress/epoch"),
        Alias("step", "progress/step"),
        Alias("num_input_tokens_seen", "progress/tokens"),
        Alias("train_tokens_per_second", "throughput/tokens_per_s"),
        Alias("eval_loss", "eval/loss"),
        Alias("eval_{metric}", None),
        Alias("eval_{dataset}_loss", "eval/loss", labels={"dataset": "{dataset}"}),
        Alias("eval_runtime", "time/eval_s"),
        Alias("eval_samples_per_second", "throughput/eval_samples_per_s"),
        Alias("eval_steps_per_second", "throughput/eval_steps_per_s"),
        Alias("train_runtime", "time/elapsed_s"),
        Alias("train_samples_per_second", "throughput/samples_per_s"),
        Alias("train_steps_per_second", "throughput/updates_per_s"),
        Alias("train_loss", "optim/loss_run_mean"),
        Alias("total_flos", "throughput/total_flops"),
    ),
)
