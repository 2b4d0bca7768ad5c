"""`runvitals run` with real processes that know nothing of it."""

import signal
import sys

import pytest

import runvitals as rv
from runvitals.diagnosis.live.journal import read_changes
from runvitals.observe.observer import numbers_named

CONSOLE = """
import sys
for step in range(60):
    print(f"step {step} loss {1 / (step + 1):.4f} grad_norm {0.5 + step / 100:.3f}", flush=True)
"""
WRITER = """
import argparse
from tensorboardX import SummaryWriter
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.001)
args = parser.parse_args()
writer = SummaryWriter("logs")
writer.add_text("hyperparameters", "|param|value|\\n|-|-|\\n|seed|3|")
writer.add_hparams({"gamma": 0.9}, {"hparam/score": 1.0})  # with a writer of its own, in a folder below
for step in range(50):
    writer.add_scalar("charts/episodic_return", float(step), step)
    writer.add_scalar("losses/value_loss", 1.0 / (step + 1), step)
writer.close()
"""


def test_the_output_and_the_exit_code_are_the_commands_own(place):
    done = place.python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")

    assert done.returncode == 7
    assert done.stdout == "out\n"
    assert done.stderr.startswith("err\n")


def test_what_a_summary_writer_is_given_is_recorded_with_the_settings(place):
    done = place.python(WRITER, "--lr", "0.1")

    run = place.run()
    assert done.returncode == 0, done.stderr
    assert run["charts/episodic_return"].values.tolist() == [float(i) for i in range(50)]
    assert run.config == {"lr": 0.1, "seed": 3, "gamma": 0.9}
    assert (run.status, run.provenance["command"][-2:]) == ("finished", ["--lr", "0.1"])
    assert "recorded in runs/" in done.stderr
    assert list((place.folder / "logs").glob("*tfevents*")), "the user's own files are written too"


def test_what_was_recorded_from_a_writer_is_one_run_and_not_two(place):
    place.python(WRITER)

    [run] = rv.open_runs(place.folder)

    assert run.format == "runvitals"
    assert run["charts/episodic_return"].last == 49.0


# reads its options by itself, as Hydra, Fire and Click do, and logs none of them
SILENT_ABOUT_ITS_SETTINGS = """
import math, sys
from tensorboardX import SummaryWriter
assert sys.argv[1].startswith("optim.lr=")
writer = SummaryWriter("events/CartPole-v1__ppo__1")
for step in range(0, 25600, 128):
    writer.add_scalar("charts/episodic_return", 9.4 + math.sin(step), step)
    writer.add_scalar("losses/approx_kl", 0.01 + 0.001 * math.cos(step), step)
writer.close()
"""


def test_a_rate_on_the_command_line_is_judged_though_no_log_tells_it(place):
    done = place.python(SILENT_ABOUT_ITS_SETTINGS, "optim.lr=0.5")

    run = place.run()
    [log] = rv.open_runs(place.folder / "events")
    assert run.settings["learning_rate"] == 0.5, done.stderr
    assert "LR002" in {one.code for one in rv.judge(run).findings}
    assert "LR002" not in {one.code for one in rv.judge(log).all_findings}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("python train.py --learning-rate 3e-4 --seed=7", {"learning_rate": 3e-4, "seed": 7}),
        (
            "python -m verl.trainer.main_ppo actor.optim.lr=1e-6 +x.y=2",
            {"actor.optim.lr": 1e-6, "x.y": 2},
        ),
        ("torchrun --nproc-per-node 2 train.py --lr .5", {"lr": 0.5}),
        ("python -m torch.distributed.run --nnodes 2 train.py --lr 1", {"lr": 1}),
        ("python -m mine.train --lr 1 --config big.py --clip -0.2", {"lr": 1, "clip": -0.2}),
        ("./train --name 1e4x --fast --lr nan -k 3", {}),
        ("", {}),
    ],
)
def test_numbers_of_a_command_line_are_settings(line, found):
    assert numbers_named(line.split()) == found


def test_metrics_are_read_from_the_console_where_nothing_is_hooked(place):
    done = place.python(CONSOLE)

    run = place.run()
    assert len(run["loss"]) == 60
    assert "(from its console)" in done.stderr
    assert done.stdout.count("\n") == 60


def test_log_files_that_appear_are_followed_and_older_ones_are_not(place):
    (place.folder / "old.csv").write_text("step,loss\n" + "".join(f"{i},9\n" for i in range(30)))
    done = place.python(
        """
with open("progress.csv", "w") as file:
    print("step,rollout/ep_rew_mean,train/approx_kl", file=file)
    for step in range(60):
        print(f"{step * 100},{step * 2.0},0.01", file=file)
"""
    )

    run = place.run()
    assert run.names() == ["rollout/ep_rew_mean", "train/approx_kl"]
    assert len(run["rollout/ep_rew_mean"]) == 60
    assert "(from its log files)" in done.stderr


def test_a_command_that_logs_nothing_says_so(place):
    done = place.python("print('hello')")

    assert "nothing to judge: no supported library logged anything" in done.stderr


def test_a_command_that_cannot_be_started_is_told_plainly(place):
    done = place.observe("no-such-command-at-all")

    assert done.returncode == 2
    assert "cannot start 'no-such-command-at-all'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_traceback_and_the_last_lines_are_kept(place):
    done = place.python(CONSOLE + "raise ValueError('no such thing')")

    run = place.run()
    ending = run.provenance["ending"]
    assert (done.returncode, run.status) == (1, "crashed")
    assert run.provenance["ended_with"].startswith("ValueError: no such thing (train.py:")
    assert ending["traceback"][-1] == "ValueError: no such thing"
    assert ending["last_lines"][0].startswith("step ")
    assert "the command ended with exit code 1: ValueError: no such thing" in done.stderr


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        ("raise RuntimeError('CUDA out of memory. Tried to allocate 2 GiB')", "out of memory"),
        ("raise RuntimeError('CUDA error: device-side assert triggered')", "device error"),
        ("raise KeyboardInterrupt", "keyboard"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "killed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "native crash"),
    ],
)
def test_it_says_why_it_ended(place, last, kind):
    done = place.python(CONSOLE + last)

    assert place.run().provenance["ending"]["kind"] == kind
    assert done.returncode != 0


def test_a_signal_that_ended_the_command_shows_as_a_shell_shows_it(place):
    done = place.python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")

    assert done.returncode == 128 + signal.SIGKILL


def test_children_record_into_the_same_run(place):
    place.script(WRITER, "child.py")
    place.python("import subprocess, sys; subprocess.run([sys.executable, 'child.py'], check=True)")

    assert len(place.run()["losses/value_loss"]) == 50


def test_spawned_workers_record_beside_their_parent(place):
    done = place.python(
        """
import multiprocessing
from tensorboardX import SummaryWriter

def work(number):
    writer = SummaryWriter("logs")
    for step in range(20):
        writer.add_scalar(f"worker{number}/loss", 1.0 / (step + 1), step)
    writer.close()

if __name__ == "__main__":
    writer = SummaryWriter("logs")
    writer.add_scalar("loss", 0.5, 0)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(number,)) for number in range(2)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    writer.close()
"""
    )

    names = {name for name in place.run().names() if not name.startswith("System/")}
    assert names == {"loss", "worker0/loss", "worker1/loss"}, done.stderr


def test_a_sitecustomize_of_the_users_own_is_loaded(place):
    theirs = place.folder / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import builtins; builtins.MINE = 'loaded'")
    script = "import sys; print(MINE, sys.modules['sitecustomize'].__file__)"
    done = place.python(script, env={"PYTHONPATH": f"{theirs}:{':'.join(sys.path)}"})

    assert done.stdout.strip() == f"loaded {theirs}/sitecustomize.py"


def test_a_hook_that_fails_is_told_once_and_the_training_goes_on(place):
    done = place.python(
        """
import runvitals.integrations.hooks.tensorboard as hook
def broken(writer):
    raise LookupError("no prefix")
hook._prefix = broken
from tensorboardX import SummaryWriter
writer = SummaryWriter("logs")
for step in range(50):
    writer.add_scalar("loss", 1.0, step)
print("trained")
"""
    )

    assert (done.returncode, done.stdout) == (0, "trained\n")
    assert done.stderr.count("the hook for tensorboard failed: LookupError: no prefix") == 1


def test_the_package_whose_import_brings_the_hooks_in_is_hooked_itself(place):
    (place.folder / "swanlab.py").write_text(
        "def init(**options): return None\ndef log(data, step=None): return None"
    )
    done = place.python(
        "import swanlab\nswanlab.init(config={'lr': 0.1})\n"
        "for step in range(20): swanlab.log({'loss': 1.0 / (step + 1)}, step=step)"
    )

    run = place.run()
    assert len(run["loss"]) == 20, done.stderr
    assert run.config == {"lr": 0.1}


def test_a_hook_that_is_skipped_records_nothing(place):
    done = place.python(WRITER, options=("--skip", "tensorboard"))

    assert "(from its log files)" in done.stderr


def test_dry_run_says_what_it_would_hook_and_runs_nothing(place):
    done = place.python("open('ran', 'w')", options=("--dry-run",))

    assert "tensorboard " in done.stdout
    assert "wandb " in done.stdout
    assert not (place.folder / "ran").exists()
    assert not (place.folder / "runs").exists()


def test_quiet_reports_only_at_the_end(place):
    script = CONSOLE.replace("1 / (step + 1)", "float('nan') if step > 30 else 0.5")
    script = script.replace("):.4f}", ")}")
    done = place.python(script, options=("--quiet",))

    assert "runvitals: NUM001" not in done.stderr
    assert "NUM001 critical" in done.stderr


def test_stop_on_critical_ends_the_command_gracefully(place):
    done = place.python(
        """
import time
from tensorboardX import SummaryWriter
writer = SummaryWriter("logs")
try:
    for step in range(100_000):
        loss = 1.0 / (step + 1) if step < 40 else float("nan")
        writer.add_scalar("losses/policy_loss", loss, step)
        time.sleep(0.05)
except KeyboardInterrupt:
    print("checkpoint saved")
    raise SystemExit(3)
""",
        options=("--stop-on", "critical"),
    )

    run = place.run()
    assert (done.returncode, done.stdout) == (3, "checkpoint saved\n"), done.stderr
    assert "stopping the command (SIGINT): NUM001" in done.stderr
    assert "runvitals stopped the command (exit code 3): NUM001" in done.stderr
    assert "END" not in done.stderr, "it did not end by itself"
    assert (run.status, run.stopped_by.partition(" ")[0]) == ("stopped", "NUM001")
    opened = next(c for c in read_changes(run.path) if c.finding.code == "NUM001")
    # its 48th row, at which it is looked at, however many there were by then
    assert opened.step == 47
