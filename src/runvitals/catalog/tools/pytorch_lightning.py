"""Names that PyTorch Lightning logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/optimizer_steps: step
progress/epoch: epoch
supervised/metric: {name} | {name}_step | {name}_epoch
supervised/metric (dataloader={i}): {name}/dataloader_idx_{i}
[convention]
optim/loss: train_loss
optim/loss (per=step): loss_step | train_loss_step | train/loss_step
eval/loss (per=step): val_loss_step | val/loss_step
supervised/accuracy (per=step): train_acc_step | train/acc_step
optim/loss (per=epoch): loss_epoch | train_loss_epoch | train/loss_epoch
eval/loss (per=epoch): val_loss_epoch | val/loss_epoch
supervised/accuracy (per=epoch): train_acc_epoch | train/acc_epoch
eval/loss: val_loss
supervised/accuracy: train_acc
eval/supervised/accuracy: val_acc
[LearningRateMonitor]
optim/learning_rate: lr-{optimizer}
none: lr-{optimizer}-momentum
optim/weight_decay: lr-{optimizer}-weight_decay
optim/grad_norm: grad_{p}_norm_total [lightning.pytorch.utilities.grad_norm]
none: grad_{p}_norm/{parameter} [grad_norm]
[ThroughputMonitor]
throughput/updates_per_s: {stage}|batches_per_sec  # prefix is the stage name plus the separator,
  '|' by default
throughput/samples_per_s: {stage}|samples_per_sec  # prefix is the stage name plus the separator,
  '|' by default
throughput/tokens_per_s: {stage}|items_per_sec  # prefix is the stage name plus the separator, '|'
  by default
throughput/tokens_per_s_per_device: {stage}|device/items_per_sec  # prefix is the stage name plus
  the separator, '|' by default
throughput/mfu: {stage}|device/mfu  # prefix is the stage name plus the separator, '|' by default
throughput/tflops_per_device (scale=1e-12): {stage}|device/flops_per_sec  # prefix is the stage name
  plus the separator, '|' by default
time/elapsed_s: {stage}|time  # prefix is the stage name plus the separator, '|' by default
progress/samples: {stage}|samples  # prefix is the stage name plus the separator, '|' by default
system/cpu_percent: DeviceStatsMonitor.{hook}/{key} [DeviceStatsMonitor]  # map by {key}
"""

FRAMEWORK = Framework(
    id="pytorch-lightning",
    title="PyTorch Lightning",
    version="2.6.2",
    names=("lightning",),
    kind="general",
    marks=(
        "train_loss_step train_loss_epoch",
        "train/loss_step train/loss_epoch",
        "loss_step loss_epoch",
    ),
    aliases=aliases(NAMES),
)
