# ruff: noqa: E501 - lines of logs are long
import math
import time

import pytest

from runvitals.readers.console._grammar import read_line

LINES = {
    "MiniMind": (
        "Epoch:[1/2](20/4292), loss: 1.5, lr: 0.0005, epoch_Time: 12.0min:",
        {"Epoch": 1, "batch": 20},
        {"loss": 1.5, "lr": 0.0005, "epoch_Time (min)": 12},
    ),
    "nanoGPT": (
        "iter 100: loss 1.8, time 20.5ms, mfu 35.0%",
        {"iter": 100},
        {"loss": 1.8, "time (ms)": 20.5, "mfu": 0.35},
    ),
    "nanoGPT, evaluation": (
        "step 250: train loss 2.1, val loss 2.2",
        {"step": 250},
        {"train loss": 2.1, "val loss": 2.2},
    ),
    "nanoGPT, in bits": (
        "step 250: train loss 2.1 BPC, val loss 2.2 BPC",
        {"step": 250},
        {"train loss": 2.1, "val loss": 2.2},
    ),
    "Megatron-LM": (
        " [2024-01-01 10:00:00] iteration      100/    1000 | consumed samples:        25600 | elapsed time per iteration (ms): 5423.1 | learning rate: 1.5E-04 | global batch size:   256 | lm loss: 6.5E+00 | grad norm: 1.25 | number of skipped iterations:   0 | number of nan iterations:   1 |",
        {"iteration": 100},
        {
            "consumed samples": 25600,
            "elapsed time per iteration (ms)": 5423.1,
            "learning rate": 1.5e-4,
            "global batch size": 256,
            "lm loss": 6.5,
            "grad norm": 1.25,
            "number of skipped iterations": 0,
            "number of nan iterations": 1,
        },
    ),
    "without a blank between two parts": (
        "Epoch:3Loss:0.5Acc:0.9",
        {"Epoch": 3},
        {"Loss": 0.5, "Acc": 0.9},
    ),
    "without a blank before small letters": (
        "idx: 3loss: tensor(8.5, grad_fn=<NegBackward>)",
        {},
        {"idx": 3, "loss": 8.5},
    ),
    "with a print behind a bar": (
        "step 11, Keys Scaled=0Loss: 0.09 | Pulse: 1.0e-04",
        {"step": 11},
        {"Keys Scaled": 0, "Loss": 0.09, "Pulse": 1e-4},
    ),
    "with a digit in the name": (
        "Epoch: 3 | Len: 297 | Q1Loss: 0.5 | l2loss=0.4",
        {"Epoch": 3},
        {"Len": 297, "Q1Loss": 0.5, "l2loss": 0.4},
    ),
    "torchtune": (
        "Step 12 | loss:1.5 lr:2e-05",
        {"Step": 12},
        {"loss": 1.5, "lr": 2e-05},
    ),
    "CleanRL": (
        "global_step=1234, episodic_return=[12.]",
        {"global_step": 1234},
        {"episodic_return": 12},
    ),
    "PyTorch's examples": (
        "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.300000",
        {"Train Epoch": 1, "batch": 640},
        {"Loss": 2.3},
    ),
    "PyTorch's examples, test": (
        "Test set: Average loss: 0.05, Accuracy: 9834/10000 (98%)",
        {},
        {"test/Average loss": 0.05, "test/Accuracy": 0.9834},
    ),
    "ImageNet": (
        "Epoch: [0][ 10/5005]\tTime  0.125 ( 0.456)\tLoss 6.9e+00 (7.0e+00)\tAcc@1   0.00 (  0.12)",
        {"Epoch": 0, "batch": 10},
        {"Time": 0.125, "Loss": 6.9, "Acc@1": 0.0},
    ),
    "tutorials": (
        "Epoch [1/10], Step [100/600], Loss: 0.345",
        {"Epoch": 1, "Step": 100},
        {"Loss": 0.345},
    ),
    "mmdetection": (
        "Epoch [1][50/7330]\tlr: 1.5e-03, eta: 9:41:57, time: 0.400, loss: 4.0",
        {"Epoch": 1, "batch": 50},
        {"lr": 1.5e-3, "time": 0.4, "loss": 4.0},
    ),
    "fairseq": (
        "| epoch 001 | loss 12.3 | ppl 2900.5 | num_updates 500",
        {"epoch": 1, "num_updates": 500},
        {"loss": 12.3, "ppl": 2900.5},
    ),
    "fairseq, validation": (
        "| epoch 001 | valid on 'valid' subset | loss 9.8",
        {"epoch": 1},
        {"valid/loss": 9.8},
    ),
    "bare words": (
        "[INFO] 2025-11-03 10:37:16 Episode 249 reward -18.000 eps 0.25",
        {"Episode": 249},
        {"reward": -18, "eps": 0.25},
    ),
    "a window in the name": (
        "Episode 10, average score over 100 episodes: 12.5",
        {"Episode": 10},
        {"average score over 100 episodes": 12.5},
    ),
    "logger names and files": (
        "2026-02-13 16:19:53,789 - a.b.trainer - INFO - trainer.py:211 - Step 3550 | Loss: 0.5",
        {"Step": 3550},
        {"Loss": 0.5},
    ),
    "tensors": (
        "step 5: loss=tensor(0.5, device='cuda:0', grad_fn=<MeanBackward0>), x=np.float64(1.5)",
        {"step": 5},
        {"loss": 0.5, "x": 1.5},
    ),
    "a rate before its unit": (
        "step  20 | loss 4.5 | 398 tok/s | 12.5K",
        {"step": 20},
        {"loss": 4.5, "tok/s": 398},
    ),
    "thousands and multiples": (
        "Update 3: frames: 1,024,000, tokens: 1.5M, loss: 1",
        {"Update": 3},
        {"frames": 1_024_000, "tokens": 1.5e6, "loss": 1},
    ),
    "two words around": (
        "Ep 1 (Step 000200): Train loss 0.25, Val loss 0.5",
        {"Ep": 1, "Step": 200},
        {"Train loss": 0.25, "Val loss": 0.5},
    ),
    "items with a number": (
        "Episode 3 | agent 0: reward: 1.5, len: 20 | agent 1: reward: 2.5, len: 30",
        {"Episode": 3},
        {"agent 0/reward": 1.5, "agent 0/len": 20, "agent 1/reward": 2.5, "agent 1/len": 30},
    ),
    "items with a value": (
        "Episode 3, agent 0: 1.5, agent 1: 2.5",
        {"Episode": 3},
        {"agent 0": 1.5, "agent 1": 2.5},
    ),
    "Caffe": (
        "I0318 00:58:32.322571 2013098752 solver.cpp:414]     Test net output #0: accuracy = 0.5",
        {},
        {"test/accuracy": 0.5},
    ),
    "other scripts": (
        "Epoch 3，损失: 0.5，准确率: 90%",
        {"Epoch": 3},
        {"损失": 0.5, "准确率": 0.9},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "counts", "values"), LINES.values(), ids=LINES)
def test_a_line_is_counts_and_values(line, counts, values):
    said = read_line(line)

    frames = {"frames": 1_024_000.0} if "frames" in values else {}
    assert {**said.counts, **said.values} == pytest.approx({**counts, **values, **frames})
    assert set(counts) <= set(said.counts)


def test_nan_is_a_value_and_none_is_not():
    said = read_line("epoch 3: loss nan, acc: None, grad_norm: inf")

    assert math.isnan(said.values["loss"])
    assert said.values["grad_norm"] == math.inf
    assert "acc" not in said.values


@pytest.mark.parametrize(
    "line",
    [
        "step 3 of the plan is to call 5 people",
        "Epoch 00003: val_loss improved from 0.5 to 0.125, saving model to x-03-0.125.hdf5",
        "Running on http://10.62.186.45:5000",
        "Python 3.11.2, torch 2.1.0+cu121, 3x3 kernels, file_10.txt",
        "[00:10<01:20]",
    ],
)
def test_numbers_in_prose_are_no_values(line):
    assert read_line(line).values == {}


@pytest.mark.parametrize(
    "line",
    ["a" * 4000, "1," * 2000, "loss: " * 600, "(" * 4000, "[" * 2000 + "1", "x=" * 2000, "- " * 2000, "1:" * 2000, "1.1." * 1000, "a b " * 1000 + "1"],
)  # fmt: skip
def test_hostile_lines_cost_little(line):
    begin = time.process_time()
    read_line(line)

    assert time.process_time() - begin < 2.0


@pytest.mark.parametrize(
    ("line", "counts", "values"),
    [
        ("[2,  4000] loss: 1.3", {"Epoch": 2, "batch": 4000}, {"loss": 1.3}),
        ("[0/5][50/500]\tLoss_D: 0.5", {"Epoch": 0, "batch": 50}, {"Loss_D": 0.5}),
        ("Train: 3 [  50/500 ( 10%)]  Loss: 0.5 (0.6)", {"Epoch": 3, "batch": 50}, {"Loss": 0.5}),
        ("3/30 reward: 5.5 loss: 0.5", {"step": 3}, {"reward": 5.5, "loss": 0.5}),
        ("Cost after iteration 300: 0.5", {"iteration": 300}, {"Cost": 0.5}),
        ("Loss after 300 iterations = 0.5", {"iteration": 300}, {"Loss": 0.5}),
        ("Reward for episode 7 is -3.5", {"episode": 7}, {"Reward": -3.5}),
        (
            "2024/01/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][ 50/500]  loss: 0.5",
            {"Epoch": 1, "batch": 50},
            {"loss": 0.5},
        ),
        ("Epoch(val) [1][100/100]  acc: 0.9", {"Epoch": 1, "batch": 100}, {"val/acc": 0.9}),
        (
            "2024-01-01 10:00:00.123 | INFO     | __main__:train:42 - Epoch 3 | loss 0.5",
            {"Epoch": 3},
            {"loss": 0.5},
        ),
        (
            "I0101 10:00:00.123456 140123 logging_writer.py:48] [300] accuracy=0.5, loss=0.5",
            {"step": 300},
            {"accuracy": 0.5, "loss": 0.5},
        ),
        ("Epoch 3 complete. Accuracy: 90 % | Loss 0.5", {"Epoch": 3}, {"Accuracy": 0.9, "Loss": 0.5}),
        ("episode 3 - return 5.5 (best 6.5), 13 steps", {"episode": 3}, {"return": 5.5}),
        ("Ep.3 reward 5.5 loss 0.5", {"Ep": 3}, {"reward": 5.5, "loss": 0.5}),
        ("@300 loss=0.5", {"step": 300}, {"loss": 0.5}),
        ("Episode Num: 3 Reward: 5.5", {"Episode Num": 3}, {"Reward": 5.5}),
        ("Game 3 Score 10 Record: 12", {"Game": 3}, {"Score": 10, "Record": 12}),
        (
            "Episode 3: Agent 0 reward: 5.5, Agent 1 reward: 6.5",
            {"Episode": 3},
            {"Agent 0 reward": 5.5, "Agent 1 reward": 6.5},
        ),
        (
            "Epoch 3 train: loss=0.5 acc=0.9 | val: loss=0.6 acc=0.8",
            {"Epoch": 3},
            {"train/loss": 0.5, "train/acc": 0.9, "val/loss": 0.6, "val/acc": 0.8},
        ),
        (
            "Epoch 3 Train Loss: 0.5 Acc: 0.9 | Val Loss: 0.6 Acc: 0.8",
            {"Epoch": 3},
            {"Train Loss": 0.5, "Acc": 0.9, "Val Loss": 0.6, "val/Acc": 0.8},
        ),
    ],
)  # fmt: skip
def test_counts_are_read_as_loops_spell_them(line, counts, values):
    said = read_line(line)

    assert said.counts == counts
    assert said.values == values
