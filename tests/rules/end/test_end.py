"""END001 to END008: how runs end, told from their last words and the signal that ended them."""

import numpy as np
import pytest

from runvitals.model.ending import kind_of_ending
from runvitals.rules.registry import rules
from runvitals.testing import check, make_run

CODES = [code for code in rules() if code.startswith("END")]
ENDINGS = {
    "END001": (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
        "MemoryError",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. Some step tasks were OOM Killed",
        "out of memory: the kernel ended a process of it",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:83] DefaultCPUAllocator: can't allocate memory: "
        "you tried to allocate 80000000000 bytes. Error code 12 (Cannot allocate memory)",
    ),
    "END002": (
        "RuntimeError: CUDA error: device-side assert triggered",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2106, remote exit",
        "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
    ),
    "END003": (
        "AssertionError: loss is NaN at step 1204 (train.py:12)",
        "ValueError: Expected parameter loc (Tensor of shape (64, 6)) of distribution Normal() to "
        "satisfy the constraint Real(), but found invalid values: tensor([[nan, nan]])",
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        "RuntimeError: Function 'MulBackward0' returned nan values in its 0th output.",
        "FloatingPointError: invalid value (nan) encountered in jit(update)",
    ),
    "END004": (
        "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***",
        "slurmstepd: error: *** JOB 12 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
        "Killed",
    ),
    "END005": (
        "KeyError: 'rewards' (train.py:88 in step)",
        "exit code 1",
        "ValueError: too many values to unpack (expected 2)",
        "TypeError: information() missing 1 required positional argument: 'value'",
    ),
    "END006": ("KeyboardInterrupt (train.py:12)",),
    "END007": ("OSError: [Errno 28] No space left on device: 'checkpoint.pt'",),
    "END008": ("Segmentation fault (core dumped)",),
}
CASES = [(code, said) for code, all_said in ENDINGS.items() for said in all_said]
SIGNALS = {"SIGTERM": "END004", "SIGKILL": "END004", "SIGSEGV": "END008", "SIGINT": "END006"}


def ended(said="", *, status="crashed", signal=None, series=None, **more):
    run = make_run(series or {"loss": np.linspace(2.0, 1.9, 40)}, status=status, **more)
    run.format = "runvitals"
    run.provenance = {"ended_with": said, "ending": {"signal": signal}}
    return run


def speaking(run):
    return [code for code in CODES if check(run, code)]


@pytest.mark.parametrize(("code", "said"), CASES)
def test_one_rule_and_no_other_speaks_of_an_ending(code, said):
    assert speaking(ended(said)) == [code]


@pytest.mark.parametrize(("signal", "code"), SIGNALS.items())
def test_a_signal_alone_tells_enough(signal, code):
    status = "stopped" if signal == "SIGINT" else "killed"
    [finding] = check(ended(signal=signal, status=status), code)

    why = "because someone pressed Ctrl-C" if code == "END006" else ""
    assert f"at step 40 {why}" in finding.message
    assert finding.severity == ("notice" if code == "END006" else "warning")


def test_the_message_quotes_what_it_said_and_how_far_it_came():
    [finding] = check(ended("KeyError: 'x' (train.py:3)", total_steps=100), "END005")

    assert finding.message == (
        "the run ended at step 40 of 100 with an error: KeyError: 'x' (train.py:3)"
    )


@pytest.mark.parametrize("status", ["finished", "running"])
def test_a_run_that_ended_well_or_goes_on_is_left_alone(status):
    assert speaking(ended("KeyError: 'x'", status=status)) == []


def test_a_run_whose_end_nobody_knows_is_left_alone():
    assert speaking(ended()) == []


def test_a_run_that_was_stopped_on_a_finding_is_left_alone():
    run = ended("KeyboardInterrupt", status="stopped")
    run.stopped_by = "NUM001 critical: loss is NaN"

    assert speaking(run) == []


def test_a_run_that_was_all_but_done_is_a_notice():
    [finding] = check(ended("KeyError: 'x'", total_steps=40), "END005")

    assert finding.severity == "notice"


def test_an_error_at_the_end_of_another_tools_log_is_a_notice_if_its_outcome_is_good():
    good = {"outcome/return_mean": np.linspace(0.0, 200.0, 200)}
    run = ended("KeyError: 'x'", series=good)
    run.format = "key-value-text"

    [finding] = check(run, "END005")

    assert finding.severity == "notice"


def test_a_lack_of_memory_names_the_sequences_that_grew():
    lengths = {"balance/seqlen_max": np.linspace(1e5, 3e5, 50), "length/response_max": [900.0] * 50}
    [finding] = check(ended("MemoryError", series=lengths), "END001")

    assert "balance/seqlen_max grew from" in finding.message
    assert {"balance/seqlen_max", "length/response_max"} <= {finding.series, *finding.also}


@pytest.mark.parametrize("said", ["KeyboardInterrupt", "KeyError: 'x'"])
def test_nothing_else_speaks_of_an_end_that_is_known(said):
    assert check(ended(said, total_steps=100), "PERF006") == []
    assert check(ended(total_steps=100), "PERF006") != []


def test_a_kill_in_another_tools_log_is_a_notice():
    run = ended("Killed", series={"outcome/return_mean": [1.0, 2.0] * 40}, total_steps=None)
    run.format = "key-value-text"

    assert [finding.severity for finding in check(run, "END004")] == ["notice"]


def test_words_that_only_contain_nan_or_inf_are_not_numbers():
    assert kind_of_ending("ImportError: cannot import name 'finance' from 'nanobind'") == "error"
    assert kind_of_ending("FileNotFoundError: information.json") == "error"
