"""Hugging Face Trainer: after `register()`, `report_to="runvitals"` works as for any other tracker."""

import torch
from transformers import Trainer, TrainingArguments

from runvitals.integrations.transformers import register


class Points(torch.utils.data.Dataset):
    """Points on either side of a plane."""

    def __init__(self) -> None:
        self.x = torch.randn(512, 8)
        self.y = (self.x.sum(1) > 0).long()

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[i], "labels": self.y[i]}


class Classifier(torch.nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)
        )

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        """Scores, and their loss."""
        scores = self.net(x)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}


register()
settings = TrainingArguments(
    "out",
    max_steps=60,
    learning_rate=1e-2,
    logging_steps=1,
    eval_strategy="steps",
    eval_steps=20,
    report_to="runvitals",
    save_strategy="no",
    use_cpu=True,
)
Trainer(Classifier(), settings, train_dataset=Points(), eval_dataset=Points()).train()
