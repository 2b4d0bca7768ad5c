"""Names that PyTorch Lightning logs, and the metrics they are."""

from runvitals.model import Alias, Framework

LEARNINGRATEMONITOR = ("LearningRateMonitor",)
THROUGHPUTMONITOR = ("ThroughputMonitor",)

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
    aliases=(
        Alias("step", "progress/optimizer_steps"),
        Alias("epoch", "progress/epoch"),
        Alias("{name}", "supervised/metric", labels={"name": "{name}"}),
        Alias("{name}_step", "supervised/metric", labels={"name": "{name}"}),
        Alias("{name}_epoch", "supervised/metric", labels={"name": "{name}"}),
        Alias(
            "{name}/dataloader_idx_{i}",
            "supervised/metric",
            labels={"name": "{name}", "dataloader": "{i}"},
        ),
        Alias("train_loss", "optim/loss", ("convention",)),
        *(
            Alias(f"{name}_{when}", metric, ("convention",), labels={"per": when})
            for when in ("step", "epoch")
            for name, metric in (
                ("loss", "optim/loss"),
                ("train_loss", "optim/loss"),
                ("train/loss", "optim/loss"),
                ("val_loss", "eval/loss"),
                ("val/loss", "eval/loss"),
                ("train_acc", "supervised/accuracy"),
                ("train/acc", "supervised/accuracy"),
            )
        ),
        Alias("val_loss", "eval/loss", ("convention",)),
        Alias("train_acc", "supervised/accuracy", ("convention",)),
        Alias("val_acc", "eval/supervised/accuracy", ("convention",)),
        Alias(
            "lr-{optimizer}",
            "optim/learning_rate",
            LEARNINGRATEMONITOR,
            labels={"optimizer": "{optimizer}"},
        ),
        Alias("lr-{optimizer}-momentum", None, LEARNINGRATEMONITOR),
        Alias(
            "lr-{optimizer}-weight_decay",
            "optim/weight_decay",
            LEARNINGRATEMONITOR,
            labels={"optimizer": "{optimizer}"},
        ),
        Alias(
            "grad_{p}_norm_total",
            "optim/grad_norm",
            ("lightning.pytorch.utilities.grad_norm",),
            labels={"p": "{p}"},
        ),
        Alias("grad_{p}_norm/{parameter}", None, ("grad_norm",)),
        Alias(
            "{stage}|batches_per_sec",
            "throughput/updates_per_s",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|samples_per_sec",
            "throughput/samples_per_s",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|items_per_sec",
            "throughput/tokens_per_s",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|device/items_per_sec",
            "throughput/tokens_per_s_per_device",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|device/mfu",
            "throughput/mfu",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|device/flops_per_sec",
            "throughput/tflops_per_device",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            scale=1e-12,
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|time",
            "time/elapsed_s",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "{stage}|samples",
            "progress/samples",
            THROUGHPUTMONITOR,
            labels={"stage": "{stage}"},
            note="prefix is the stage name plus the separator, '|' by default",
        ),
        Alias(
            "DeviceStatsMonitor.{hook}/{key}",
            "system/cpu_percent",
            ("DeviceStatsMonitor",),
            labels={"hook": "{hook}", "key": "{key}"},
            note="map by {key}",
        ),
    ),
)
