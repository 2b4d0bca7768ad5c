"""`rv.watch` on real PyTorch networks: each fault is named, and a healthy one stays silent."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import ConfigError

pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch")
nn = torch.nn
torch.set_num_threads(1)

CLASSES, WIDTH, BATCH = 5, 32, 32
WATCHED = ("NET", "PRE")


class Net(nn.Module):
    """A small residual network with dropout, in named blocks."""

    def __init__(self, act=nn.ReLU, dropout=0.1):
        super().__init__()
        self.embed = nn.Linear(8, WIDTH)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, WIDTH), act(), nn.Dropout(dropout)) for _ in range(3)
        )
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


@pytest.fixture
def run(tmp_path):
    run = rv.init(
        "watched", dir=tmp_path, console=False, tensorboard=False, system=False, judge=False
    )
    yield run
    run.finish()


TARGETS = torch.randn(8, CLASSES, generator=torch.Generator().manual_seed(1))


def batches(count):
    for _ in range(count):
        x = torch.randn(BATCH, 8)
        yield x, (x @ TARGETS).argmax(dim=1)


def train(run, model, optimizer, *, updates=60, data=None, each=None, **options):
    """A plain loop, watched; `each(update)` may interfere before the optimiser steps."""
    criterion = options.pop("loss_fn", nn.CrossEntropyLoss())
    options.setdefault("every", 5)
    rv.watch(model, optimizer, run, loss_fn=criterion, **options)
    for update, (x, y) in enumerate(data or batches(updates), 1):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        if each is not None:
            each(update)
        optimizer.step()
        run.log({"train/loss": loss}, step=update)
    return finished(run)


def finished(run):
    run.finish()
    assert run.problems == []
    return rv.open_run(run.folder)


def codes(recorded):
    found = rv.judge(recorded).all_findings
    return {one.code: one for one in found if one.code.startswith(WATCHED)}


def adam(model, **options):
    return torch.optim.Adam(model.parameters(), **{"lr": 1e-3, **options})


def test_a_healthy_network_stays_silent_and_is_measured_by_block(run):
    model = Net()

    recorded = train(run, model, adam(model), updates=200)

    assert codes(recorded) == {}
    wanted = "grad_norm weight_norm update_ratio adam_rms"
    for metric in (f"net/{name}" for name in wanted.split()):
        assert {one.labels.get("block") for one in recorded.select(metric)} == {
            None, "embed", "layers.0", "layers.1", "layers.2", "head",
        }  # fmt: skip
    assert "net/dead_units" in recorded


def test_the_numbers_are_those_of_the_network(run):
    model = Net(dropout=0.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = {}

    def each(update):
        if update == 20:
            parts = dict(model.head.named_parameters())
            seen["grad"] = math.sqrt(sum(p.grad.square().sum().item() for p in parts.values()))
            seen["norm"] = math.sqrt(sum(p.square().sum().item() for p in parts.values()))

    recorded = train(run, model, optimizer, each=each)

    def head(metric):
        return next(one for one in recorded.select(metric) if one.labels.get("block") == "head")

    place = head("net/grad_norm").steps.tolist().index(20)
    assert head("net/grad_norm").values[place] == pytest.approx(seen["grad"], rel=1e-5)
    assert head("net/weight_norm").values[place] == pytest.approx(seen["norm"], rel=1e-5)
    assert head("net/update_ratio").values[place] == pytest.approx(
        0.1 * seen["grad"] / seen["norm"], rel=1e-3
    )


def test_numbers_ride_along_at_the_steps_of_the_loop(run):
    model = Net()
    optimizer = adam(model)
    rv.watch(model, optimizer, run, every=10)
    for update, (x, y) in enumerate(batches(30), 1):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        run.log({"train/loss": 1.0}, step=update * 2048)

    recorded = finished(run)

    assert recorded["net/grad_norm"].steps.tolist() == [
        2048 * update for update in (1, 2, 5, 10, 20, 30)
    ]


def test_a_loop_that_logs_nothing_else_is_recorded_by_update(run):
    model = Net()
    optimizer = adam(model)
    rv.watch(model, optimizer, run, every=10)
    for x, y in batches(30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    assert finished(run)["net/grad_norm"].steps.tolist() == [1, 2, 5, 10, 20, 30]


def test_watching_changes_no_number_of_the_training(run):
    def weights(watch):
        torch.manual_seed(0)
        model = Net()
        optimizer = adam(model)
        if watch:
            rv.watch(model, optimizer, run, every=3, loss_fn=nn.CrossEntropyLoss())
        for x, y in batches(20):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        return [p.detach().clone() for p in model.parameters()]

    assert all(map(torch.equal, weights(watch=False), weights(watch=True)))


# before the flight


def test_parameters_in_no_optimizer_are_named(run):
    model = Net()
    optimizer = adam(model)
    model.head = nn.Linear(WIDTH, CLASSES)  # replaced after the optimiser was made

    found = codes(train(run, model, optimizer))

    assert found["PRE001"].message.endswith("are in no optimiser group: head")


def test_frozen_parameters_that_have_to_learn_are_named(run):
    model = Net()
    model.layers[1].requires_grad_(False)

    found = codes(train(run, model, adam(model), learns=["layers"]))

    assert found["PRE002"].severity == "warning"
    assert found["PRE002"].message.endswith("that should learn are frozen: layers.1")


def test_a_group_with_a_rate_of_zero_is_named(run):
    model = Net()
    body = [*model.embed.parameters(), *model.layers.parameters()]
    groups = [{"params": body}, {"params": list(model.head.parameters()), "lr": 0.0}]

    found = codes(train(run, model, torch.optim.Adam(groups, lr=1e-3)))

    assert found["PRE003"].message.endswith("group 1")


def test_a_warm_up_from_zero_is_no_rate_of_zero(run):
    model = Net()
    optimizer = adam(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 5))
    optimizer.register_step_post_hook(lambda *_: schedule.step())

    assert codes(train(run, model, optimizer)) == {}


def test_a_model_left_in_eval_is_noticed(run):
    model = Net().eval()

    found = codes(train(run, model, adam(model)))

    assert (
        found["PRE004"].message
        == "3 dropout or batch norm modules in eval() during training: the whole model"
    )
    assert found["PRE004"].severity == "warning"


def test_an_evaluation_in_train_mode_is_noticed(run):
    model = Net()

    def evaluate(update):
        if update % 10 == 0:
            with torch.no_grad():
                model(torch.randn(BATCH, 8))

    found = codes(train(run, model, adam(model), each=evaluate))

    assert "in train() during evaluation: layers.0.2" in found["PRE004"].message


def test_an_evaluation_in_eval_mode_is_fine(run):
    model = Net()

    def evaluate(update):
        if update % 10 == 0:
            model.eval()
            with torch.no_grad():
                model(torch.randn(BATCH, 8))
            model.train()

    assert codes(train(run, model, adam(model), each=evaluate)) == {}


def test_what_is_detached_from_the_loss_is_named(run):
    class Detached(Net):
        def forward(self, x):
            x = self.embed(x).detach()
            for layer in self.layers:
                x = x + layer(x)
            return self.head(x)

    model = Detached()

    found = codes(train(run, model, adam(model)))

    assert found["PRE005"].message.endswith("got no gradient in the first updates: embed")


def test_an_adapter_that_starts_at_zero_is_not_cut_off(run):
    class Adapted(Net):
        def __init__(self):
            super().__init__()
            self.down, self.up = nn.Linear(WIDTH, 4, bias=False), nn.Linear(4, WIDTH, bias=False)
            nn.init.zeros_(self.up.weight)  # as LoRA does: the gradient of `down` is 0 at first

        def forward(self, x):
            x = self.embed(x)
            return self.head(
                x
                + self.up(self.down(x))
                + self.layers[0](x)
                + self.layers[1](x)
                + self.layers[2](x)
            )

    model = Adapted()

    assert codes(train(run, model, adam(model))) == {}


def test_a_first_loss_far_above_guessing_is_told(run):
    model = Net()
    with torch.no_grad():
        model.head.weight.mul_(200)

    found = codes(train(run, model, adam(model)))

    assert "times that of guessing" in found["PRE006"].message


def test_the_first_loss_of_a_model_that_returns_it_is_compared_with_guessing(run):
    class WithLoss(Net):
        def forward(self, x, y):
            logits = super().forward(x)
            return {"loss": nn.functional.cross_entropy(logits, y), "logits": logits}

    model = WithLoss()
    optimizer = adam(model)
    rv.watch(model, optimizer, run)
    for x, y in batches(3):
        optimizer.zero_grad()
        model(x, y)["loss"].backward()
        optimizer.step()
        run.log({"train/loss": 1.0})

    assert finished(run)["preflight/initial_loss_ratio"].last == pytest.approx(1.0, abs=0.2)


def test_one_batch_again_and_again_is_noticed(run):
    model = Net()
    [batch] = batches(1)

    found = codes(train(run, model, adam(model), data=[batch] * 60))

    assert "PRE007" in found


def test_samples_that_see_each_other_are_noticed(run):
    class Leaky(Net):
        def forward(self, x):
            return super().forward(x - x.mean(dim=0))  # over the batch, also in eval()

    model = Leaky()

    found = codes(train(run, model, adam(model)))

    assert found["PRE008"].severity == "warning"


def test_tokens_and_batch_norm_are_probed_without_false_alarm(run):
    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, WIDTH)
            self.mix = nn.TransformerEncoderLayer(WIDTH, 4, 64, batch_first=True)
            self.norm = nn.BatchNorm1d(WIDTH)
            self.head = nn.Linear(WIDTH, CLASSES)

        def forward(self, tokens):
            return self.head(self.norm(self.mix(self.embed(tokens)).mean(dim=1)))

    model = Words()
    rows = [torch.randint(0, 50, (BATCH, 12)) for _ in range(60)]

    recorded = train(run, model, adam(model), data=[(one, one[:, 0] % CLASSES) for one in rows])

    assert codes(recorded) == {}
    assert recorded["preflight/cross_sample_gradient"].last == 0.0


# while it trains


def test_the_module_whose_gradient_is_not_finite_first_is_named(run):
    model = Net()

    class Overflows(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad * math.inf if state["bad"] else grad

    state = {"bad": False}
    model.layers[1].register_forward_hook(lambda module, given, out: Overflows.apply(out))

    def data():
        for update, batch in enumerate(batches(60), 1):
            state["bad"] = update == 37
            yield batch

    found = codes(train(run, model, adam(model), data=data()))

    assert found["NET003"].message == "first non-finite value: layers.1.0, gradient, step 37"
    assert found["NET003"].severity == "critical"


def test_the_module_whose_output_is_not_finite_first_is_named(run):
    class Divides(Net):
        def forward(self, x):
            x = self.embed(x)
            for place, layer in enumerate(self.layers):
                x = x + layer(x) if place != 2 else x + self.scaled(layer(x))
            return self.head(x)

    class Scale(nn.Module):
        def forward(self, x):
            return x / (0.0 if state["bad"] else 1.0)

    state = {"bad": False}
    model = Divides()
    model.scaled = Scale()

    def data():
        for update, batch in enumerate(batches(60), 1):
            state["bad"] = update >= 23
            yield batch

    found = codes(train(run, model, adam(model), data=data()))

    assert found["NET003"].message == "first non-finite value: scaled, output, step 23"


def test_a_weight_that_an_update_broke_is_named(run):
    model = Net()

    def each(update):
        if update == 30:
            with torch.no_grad():
                model.layers[0][0].weight[0, 0] = math.nan

    found = codes(train(run, model, adam(model), each=each))

    assert found["NET003"].message.startswith("first non-finite value: layers.0.0, weight, step 3")


def test_answers_that_stay_on_a_device_name_the_same_module(monkeypatch):
    from runvitals.recorder.network import nonfinite
    from runvitals.recorder.network.blocks import Parameters

    monkeypatch.setattr(nonfinite, "waits", lambda tensors: True)
    model = Net(dropout=0.0)
    optimizer = adam(model)
    watch = nonfinite.NonFiniteWatch(Parameters(model, [optimizer]))
    for update, (x, y) in enumerate(batches(9), 1):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        if update >= 7:
            for part in (model.embed, model.layers[0]):
                for parameter in part.parameters():
                    parameter.grad.fill_(math.nan)
        assert watch.look(optimizer, update, {}) is None

    numbers = watch.numbers({})()

    assert numbers == {"net/nonfinite{module=layers.0.0,kind=gradient}": 7.0}


def test_units_that_never_fire_are_counted_by_layer(run):
    model = Net()
    with torch.no_grad():
        model.layers[1][0].bias.fill_(-1e3)

    recorded = train(run, model, adam(model))

    assert recorded["net/dead_units{block=layers.1.1}"].last == 1.0
    assert codes(recorded)["NET002"].message.startswith("100% of the units in layers.1.1 are dead")


def test_units_that_stay_at_their_ends_are_counted(run):
    model = Net(act=nn.Tanh)
    with torch.no_grad():
        model.layers[2][0].weight.zero_()
        model.layers[2][0].bias.fill_(50.0)

    found = codes(train(run, model, adam(model)))

    assert "of the units in layers.2.1 are saturated" in found["NET002"].message


def test_updates_that_rewrite_the_weights_are_noticed(run):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.3, weight_decay=2.0)

    found = codes(train(run, model, optimizer, updates=100))

    assert found["NET004"].message.startswith("one update changes")


def test_weights_too_coarse_to_move_are_named(run):
    model = Net(dropout=0.0).bfloat16()
    data = [(x.bfloat16(), y) for x, y in batches(60)]
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-7)

    found = codes(train(run, model, optimizer, data=data))

    assert "did not move" in found["NET004"].message


def test_a_gradient_that_vanishes_on_its_way_is_noticed(run):
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(
                nn.Sequential(nn.Linear(8, 8), nn.Sigmoid()) for _ in range(14)
            )
            self.head = nn.Linear(8, CLASSES)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.head(x)

    model = Deep()

    assert "layers.0" in codes(train(run, model, adam(model)))["NET005"].message


def test_an_eps_that_rules_adam_is_noticed(run):
    model = Net()

    found = codes(train(run, model, adam(model, eps=10.0)))

    assert "eps sets the step" in found["NET006"].message


def test_the_noise_scale_is_that_of_known_gradients(run):
    """Gradients of a linear model with known mean 1 and variance 9: the noise scale is 9 samples."""
    weight = nn.Linear(400, 1, bias=False)
    optimizer = torch.optim.SGD(weight.parameters(), lr=0.0)
    rv.watch(weight, optimizer, run, every=1, probe=False)
    for _ in range(40):
        optimizer.zero_grad()
        for _ in range(8):
            x = 1.0 + 3.0 * torch.randn(2, 400)
            (weight(x).mean() / 8).backward()
        optimizer.step()
        run.log({"train/loss": 0.0})

    recorded = finished(run)

    assert np.median(recorded["net/noise_scale"].values[10:]) == pytest.approx(9.0, rel=0.15)
    assert set(recorded["net/update_batch"].values) == {16.0}


def test_labels_of_noise_in_small_batches_are_noticed(run):
    model = Net(dropout=0.0)
    nn.init.zeros_(model.head.weight)  # it begins by guessing, so there is nothing to gain
    nn.init.zeros_(model.head.bias)
    optimizer, criterion = adam(model), nn.CrossEntropyLoss()
    rv.watch(model, optimizer, run, every=5)
    for step in range(200):
        optimizer.zero_grad()
        for _ in range(2):
            loss = criterion(model(torch.randn(2, 8)), torch.randint(CLASSES, (2,)))
            (loss / 2).backward()
        optimizer.step()
        run.log({"train/loss": loss}, step=step)

    assert "mostly noise" in codes(finished(run))["NET007"].message


def test_one_batch_per_update_has_no_noise_scale(run):
    model = Net()

    assert "net/noise_scale" not in train(run, model, adam(model))


# never hurt the training


def test_a_failing_hook_is_reported_once_and_training_goes_on(run, monkeypatch):
    from runvitals.recorder.network import measure

    def broken(*_):
        raise RuntimeError("no luck")

    monkeypatch.setattr(measure, "measure_before", broken)
    model = Net()
    optimizer = adam(model)
    rv.watch(model, optimizer, run, every=1)
    for x, y in batches(10):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        run.log({"train/loss": 0.0})

    assert run.problems == ["the watch, before an update failed: RuntimeError: no luck"]
    assert not optimizer._optimizer_step_pre_hooks


def test_closing_takes_every_hook_off(run):
    model = Net()
    optimizer = adam(model)

    rv.watch(model, optimizer, run).close()

    hooks = [m._forward_hooks or m._forward_pre_hooks for m in model.modules()]
    assert not any(hooks)
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks


def test_several_optimizers_are_one_watch(run):
    model = Net()
    body = torch.optim.Adam([*model.embed.parameters(), *model.layers.parameters()], lr=1e-3)
    head = torch.optim.SGD(model.head.parameters(), lr=0.1)
    rv.watch(model, [body, head], run, every=5)
    for x, y in batches(60):
        model.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        body.step()
        head.step()
        run.log({"train/loss": 1.0})

    recorded = finished(run)

    assert codes(recorded) == {}
    assert recorded["net/update_ratio{block=head}"].last > 0
    assert recorded["net/update_ratio{block=embed}"].last > 0
    assert "net/grad_norm" not in recorded.names()  # no part is passed off as the whole


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((object(), None), "torch.nn.Module"), ((nn.Linear(1, 1), None), "optimiser")],
)
def test_what_cannot_be_watched_is_said_at_once(run, arguments, words):
    with pytest.raises(ConfigError, match=words):
        rv.watch(*arguments, run)


# JAX


def test_jax_trees_give_the_same_numbers_inside_jit(run):
    jax = pytest.importorskip("jax")
    params = {"embed": {"w": np.full((3, 4), 2.0)}, "head": {"w": np.ones(5), "b": np.zeros(1)}}
    grads = jax.tree_util.tree_map(lambda leaf: 0.5 * np.ones_like(leaf), params)
    updates = jax.tree_util.tree_map(lambda leaf: -0.1 * leaf, params)

    run.log(jax.jit(rv.tree_vitals)(params, grads, updates), step=3)
    recorded = finished(run)

    assert recorded["net/weight_norm{block=embed}"].last == pytest.approx(math.sqrt(48), rel=1e-6)
    assert recorded["net/grad_norm"].last == pytest.approx(math.sqrt(18 * 0.25), rel=1e-6)
    assert recorded["net/update_ratio{block=head}"].last == pytest.approx(0.1, rel=1e-5)
    assert recorded["net/grad_norm"].steps.tolist() == [3]


def test_the_guide_runs(tmp_path, monkeypatch):
    guide = Path(__file__).parents[2] / "docs" / "guides" / "watch-model.md"
    blocks = re.findall(r"```python (?:torch|jax)\n(.*?)```", guide.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)

    for block in blocks:
        exec(compile(block, guide.name, "exec"), {})

    assert len(blocks) == 2
    assert list(tmp_path.glob("runs/*/*/run.json"))
