"""Supervised loops as people write them by themselves: a classifier, a language model."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.made import tables, texts
from benchmarks.made.loops_rl import LATE, Write
from benchmarks.made.programs import Outcome, Program


def _rate(settings: Any, share: float) -> float:
    late = settings.get("late_lr")
    return float(late if late and share > LATE else settings.get("lr", 2e-3))


def classifier(program: Program, seed: int, write: Write) -> Outcome:
    """A small network on a table; one row per epoch."""
    import torch
    from torch import nn

    s = program.settings
    torch.manual_seed(seed)
    clean = tables.load(program.world.name, seed)
    table = tables.damaged(clean, s, seed)
    x, y = (torch.as_tensor(part) for part in table.train)
    width = s.get("width", 48)
    net = nn.Sequential(
        nn.Linear(x.shape[1], width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
        nn.Linear(width, table.classes),
    )  # fmt: skip
    kind = torch.optim.SGD if s.get("sgd") else torch.optim.AdamW
    optimiser = kind(net.parameters(), lr=s.get("lr", 2e-3))
    per_class = nn.functional.cross_entropy

    def measured(part: tuple[Any, Any]) -> tuple[float, float]:
        with torch.no_grad():
            scores = net(torch.as_tensor(part[0]))
            goal = torch.as_tensor(part[1])
            right = (scores.argmax(1) == goal).float().mean()
            return float(per_class(scores, goal)), float(right)

    def epoch_of_training() -> tuple[float, float]:
        losses, rights = [], []
        order = torch.randperm(len(x))
        for batch in order.split(s.get("batch", 32)):
            scores = net(x[batch])
            loss = s.get("sign", 1.0) * per_class(scores, y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            rights.append((scores.argmax(1) == y[batch]).float().mean().item())
        return float(np.mean(losses)), float(np.mean(rights))

    for _ in range(s.get("warm", 0)):
        epoch_of_training()
    best, last = 0.0, 0.0
    for epoch in range(s.get("stops_at", s["epochs"])):
        rate = _rate(s, epoch / s["epochs"])
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss, right = epoch_of_training()
        row: dict[str, Any] = {"epoch": epoch + 1, "train_loss": loss, "train_acc": right}
        if s.get("evals", True) and (epoch + 1) % s.get("eval_every", 1) == 0:
            row["val_loss"], row["val_acc"] = measured(table.held_out)
            last = row["val_acc"]
        best = max(best, measured(clean.held_out)[1])
        row["lr"] = rate
        write(row)
    end = measured(clean.final)[1]
    harmed, why = None, ""
    if s.get("held_out_shuffled"):
        harmed = abs(end - last) > 0.3
        why = f"the log says {last:.3f} on held-out examples, the truth is {end:.3f}"
    if s.get("stops_at"):
        harmed, why = True, f"stopped after {s['stops_at']} of {s['epochs']} epochs"
    onset = int(LATE * s["epochs"]) if s.get("late_lr") else None
    return Outcome("accuracy on unseen examples", end, best, harmed, why, onset)


def language_model(program: Program, seed: int, write: Write) -> Outcome:
    """A recurrent language model; a row every few steps, held-out loss more rarely."""
    import torch
    from torch import nn

    s = program.settings
    torch.manual_seed(seed)
    world = program.world.name
    train = torch.as_tensor(texts.numbers(world, texts.damaged(world, s, seed, 2000)))
    rng = np.random.default_rng(seed + 10_000)
    held_out = torch.as_tensor(texts.numbers(world, texts.sample(world, rng, 200)))
    final = torch.as_tensor(texts.numbers(world, texts.sample(world, rng, 400)))
    size, width = len(texts.words_of(world)), s.get("width", 48)

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(size, width)
            self.memory = nn.GRU(width, width, batch_first=True)
            self.head = nn.Linear(width, size)

        def forward(self, rows: Any) -> Any:
            scores = self.head(self.memory(self.words(rows[:, :-1]))[0])
            return nn.functional.cross_entropy(scores.transpose(1, 2), rows[:, 1:])

    model = Model()
    optimiser = torch.optim.AdamW(model.parameters(), lr=s.get("lr", 5e-3))

    def held(rows: Any) -> float:
        with torch.no_grad():
            return float(model(rows))

    def step() -> tuple[float, float]:
        loss = model(train[torch.randint(len(train), (s.get("batch", 16),))])
        optimiser.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), s.get("clip", 1.0))
        optimiser.step()
        return loss.item(), float(norm)

    for _ in range(s.get("warm", 0)):
        step()
    best = float("inf")
    for k in range(s.get("stops_at", s["steps"])):
        rate = _rate({"lr": 5e-3, **s}, k / s["steps"])
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss, norm = step()
        if k % s.get("every", 10) == 0:
            row = {"iter": k, "loss": loss, "lr": rate, "grad_norm": norm}
            if s.get("evals") and k % (s["steps"] // s["evals"]) == 0:
                row["val_loss"] = held(held_out)
            best = min(best, held(held_out))
            write(row)
    end = held(final)
    harmed, why = None, ""
    if s.get("stops_at"):
        harmed, why = True, f"stopped after {s['stops_at']} of {s['steps']} steps"
    onset = int(LATE * s["steps"]) if s.get("late_lr") else None
    return Outcome("loss on unseen texts", end, best, harmed, why, onset)
