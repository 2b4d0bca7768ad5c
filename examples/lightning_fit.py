"""Lightning: a logger for what `self.log` logs, and a callback that ends a sick training."""

import lightning.pytorch as pl
import torch

from runvitals.integrations.lightning import RunvitalsCallback, RunvitalsLogger


class Points(pl.LightningModule):
    """Which side of a plane a point is on."""

    def __init__(self, learning_rate: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Linear(8, 2)

    def training_step(self, batch, _):
        """One batch."""
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        """One batch of those held out."""
        self.log("val_loss", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        """Adam."""
        return torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)


x = torch.randn(512, 8)
data = torch.utils.data.TensorDataset(x, (x.sum(1) > 0).long())
train, held_out = torch.utils.data.random_split(data, [448, 64])
trainer = pl.Trainer(
    max_epochs=6,
    logger=RunvitalsLogger(project="points"),
    callbacks=[RunvitalsCallback(stop_on="critical")],
    log_every_n_steps=1,
    enable_checkpointing=False,
    accelerator="cpu",
)
loader = torch.utils.data.DataLoader
trainer.fit(Points(), loader(train, batch_size=32), loader(held_out, batch_size=64))
