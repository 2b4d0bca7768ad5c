"""Names that Keras logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/epoch: epoch
optim/loss: loss  # running mean over batches while weights change
eval/loss: val_loss
supervised/accuracy: accuracy  # also acc, sparse_categorical_accuracy, ...
eval/supervised/accuracy: val_accuracy
optim/learning_rate: learning_rate [with LR callback]
supervised/metric (name={metric}): {metric}
eval/supervised/metric (name={metric}): val_{metric}
optim/loss: epoch_loss
supervised/metric (name={metric}): epoch_{metric}
optim/learning_rate: epoch_learning_rate
throughput/updates_per_s: batch_steps_per_second [update_freq set]
eval/supervised/metric (name={metric}): evaluation_{metric}_vs_iterations [evaluate()]
"""

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
    aliases=aliases(NAMES),
)
