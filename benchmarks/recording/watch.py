"""What `rv.watch` costs of a training step: a transformer of 10 million parameters on the CPU.

Two copies of one model take turns, a step each, in one process: one is watched, the other is not; both
are logged. What counts is the CPU time of the training thread, so that other work on the machine does
not. Ordinary steps are compared by their medians; measured ones, which come every 50 updates by
default, add their extra cost divided by that rate, with the CPU time of the whole process while their
numbers are flushed. The first updates, with the check before the flight, happen once in a run and are
told apart.

Needs PyTorch: `.venv-frameworks/bin/python -m benchmarks.recording.watch`
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

WIDTH, LAYERS, HEADS, WORDS = 320, 8, 8, 512
SENTENCES, TOKENS = 4, 32
RATE = 10  # updates between two measurements here: more of them in a short run
LIMIT = 0.02


def model_of(torch: Any) -> Any:
    nn = torch.nn

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(WORDS, WIDTH)
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    WIDTH, HEADS, 4 * WIDTH, activation=nn.GELU(), batch_first=True, dropout=0.0
                )
                for _ in range(LAYERS)
            )
            self.head = nn.Linear(WIDTH, WORDS)

        def forward(self, tokens: Any) -> Any:
            hidden = self.embed(tokens)
            for layer in self.layers:
                hidden = layer(hidden)
            return self.head(hidden)

    torch.manual_seed(0)
    return Transformer()


def stepper(torch: Any, model: Any, optimizer: Any) -> Callable[[], None]:
    criterion = torch.nn.CrossEntropyLoss()

    def step() -> None:
        tokens = torch.randint(0, WORDS, (SENTENCES, TOKENS))
        optimizer.zero_grad()
        loss = criterion(model(tokens).flatten(0, 1), tokens.roll(-1, 1).flatten())
        loss.backward()
        optimizer.step()

    return step


def cpu(act: Callable[[], None]) -> float:
    begun = time.thread_time()
    act()
    return time.thread_time() - begun


def main() -> None:
    import torch

    import runvitals as rv
    from runvitals.recorder.network.watch import EVERY

    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--updates", type=int, default=200)
    updates = words.parse_args().updates
    torch.set_num_threads(1)
    plain, watched = model_of(torch), model_of(torch)
    size = sum(p.numel() for p in plain.parameters())
    plain_optimizer = torch.optim.AdamW(plain.parameters(), lr=1e-4)
    optimizer = torch.optim.AdamW(watched.parameters(), lr=1e-4)
    bare, observed = stepper(torch, plain, plain_optimizer), stepper(torch, watched, optimizer)
    with tempfile.TemporaryDirectory() as folder:
        quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
        run = rv.init("bench", dir=folder, **quiet)
        rv.watch(watched, optimizer, run, every=RATE)
        without, ordinary, measured, first = [], [], [], []
        flushes = []
        for update in range(1, updates + 1):

            def one(act: Callable[[], None], update: int = update) -> None:
                act()
                run.log({"train/loss": 1.0}, step=update)

            kind = first if update <= 2 * RATE else ordinary if update % RATE else measured
            for act in (bare, observed) if update % 2 else (observed, bare):
                (without if act is bare else kind).append(cpu(lambda act=act: one(act)))
            if kind is measured:
                begun = time.process_time()
                run.flush()
                flushes.append(time.process_time() - begun)
        run.finish()
        assert not run.problems, run.problems
    usual = statistics.median(without)
    always = statistics.median(ordinary) - usual
    extra = statistics.median(measured) - statistics.median(ordinary) + statistics.median(flushes)
    share = (always + extra / EVERY) / usual
    ms = 1000.0
    print(f"{size / 1e6:.1f} million parameters, {SENTENCES * TOKENS} tokens a step, one thread")
    print(f"a step without rv.watch       {usual * ms:8.2f} ms of CPU")
    print(f"every update                  {always * ms:+8.2f} ms, {always / usual:+.2%}")
    print(f"a measured update             {extra * ms:+8.2f} ms, every {EVERY} updates")
    print(f"rv.watch at its default rate  {share:+8.2%} of a step (at most {LIMIT:.0%})")
    once = sum(first) - len(first) * usual
    print(
        f"the first {len(first)} updates, once    {once * ms:+8.2f} ms with the check before the flight"
    )


if __name__ == "__main__":
    main()
