"""Names that Keras logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="keras",
    title="Keras",
    version="3.16.0",
    names=("tf.keras",),
    kind="general",
    marks=(
        "loss accuracy val_loss val_accuracy",
        "loss acc val_loss val_acc",
        "loss mae val_loss val_mae",
        "epoch_loss epoch_accuracy",
        "epoch_loss evaluation_loss_vs_iterations",
    ),
    aliases=(
        Alias("epoch", "progress/epoch"),
        Alias("loss", "optim/loss", note="running mean over batches while weights change"),
        Alias("val_loss", "eval/loss"),
        Alias("accuracy", "supervised/accuracy", note="also acc, sparse_categorical_accuracy, ..."),
        Alias("val_accuracy", "eval/supervised/accuracy"),
        Alias("learning_rate", "optim/learning_rate", ("with LR callback",)),
        Alias("{metric}", "supervised/metric", labels={"name": "{metric}"}),
        Alias("val_{metric}", "eval/supervised/metric", labels={"name": "{metric}"}),
        Alias("epoch_loss", "optim/loss"),
        Alias("epoch_{metric}", "supervised/metric", labels={"name": "{metric}"}),
        Alias("epoch_learning_rate", "optim/learning_rate"),
        Alias("batch_steps_per_second", "throughput/updates_per_s", ("update_freq set",)),
        Alias(
            "evaluation_{metric}_vs_iterations",
            "eval/supervised/metric",
            ("evaluate()",),
            labels={"name": "{metric}"},
        ),
    ),
)
