"""Names that Hugging Face Transformers Trainer logs, and the metrics they are."""

from runvitals.model import Alias, Framework

LANGUAGE = ("SFT", "pre-training")

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
    aliases=(
        Alias(
            "loss",
            "optim/loss",
            note="sum of step losses / steps since last log; of whatever task is trained",
        ),
        Alias("loss", "lm/loss", LANGUAGE, note="sum of step losses / steps since last log"),
        Alias("grad_norm", "optim/grad_norm"),
        Alias("learning_rate", "optim/learning_rate"),
        Alias("epoch", "progress/epoch"),
        Alias("step", "progress/step"),
        Alias("train/global_step", "progress/step"),
        Alias("num_input_tokens_seen", "progress/tokens"),
        Alias("train_tokens_per_second", "throughput/tokens_per_s"),
        Alias("eval_loss", "eval/loss"),
        Alias("test_loss", "eval/loss", labels={"split": "test"}),
        Alias("eval_accuracy", "eval/supervised/accuracy", note="of compute_metrics"),
        Alias("eval_{metric}", "eval/supervised/metric", labels={"name": "{metric}"}),
        Alias("eval_{dataset}_loss", "eval/loss", labels={"dataset": "{dataset}"}),
        Alias("eval_runtime", "time/eval_s"),
        Alias("eval_samples_per_second", "throughput/eval_samples_per_s"),
        Alias("eval_steps_per_second", "throughput/eval_steps_per_s"),
        Alias("eval_model_preparation_time", None),
        Alias("eval_samples", None),
        Alias("train_samples", None),
        Alias("train_runtime", "time/elapsed_s"),
        Alias("train_samples_per_second", "throughput/samples_per_s"),
        Alias("train_steps_per_second", "throughput/updates_per_s"),
        Alias("train_loss", "optim/loss_run_mean"),
        Alias("total_flos", "throughput/total_flops"),
    ),
)
