"""Names of no known tool, read by their words, their siblings and their numbers."""

import numpy as np
import pytest

from runvitals import catalog
from runvitals.catalog.resolving.by_words.log import facts_of

RISING = np.linspace(0.1, 0.9, 40)
NOISE = np.random.default_rng(0).normal(size=40)
LOSS = np.linspace(3.0, 0.5, 40)
COUNTER = np.arange(40.0)
USUAL = {"loss": LOSS, "episode": COUNTER, "epoch": COUNTER, "step": COUNTER}


def read(columns, **numbers):
    """What each column of a log is; columns without numbers of their own get usual ones."""
    names = columns.split()
    values = {name: numbers.get(name, USUAL.get(name, RISING)) for name in names}
    found = catalog.resolve_all(names, facts_of=lambda name: facts_of(values[name]))
    return {name: one.metric for name, one in found.items()}


@pytest.mark.parametrize(
    ("columns", "name", "metric"),
    [
        ("iter loss", "loss", "optim/loss"),
        ("my/x train/loss val/loss", "train/loss", "optim/loss"),
        ("tr_loss val_loss", "tr_loss", "optim/loss"),
        ("tr_loss dev_ppl", "tr_loss", "lm/loss"),
        ("tr_loss val_mse", "val_mse", "eval/supervised/error"),
        ("train_acc val_acc", "val_acc", "eval/supervised/accuracy"),
        ("mean_reward loss accuracy", "accuracy", "outcome/success_rate"),
        ("loss avg_margin", "avg_margin", "preference/margin"),
        ("Train/Reward Train/Length", "Train/Length", "outcome/episode_length_mean"),
        ("episode score", "score", "outcome/score_mean"),
        ("val/reward train/reward", "val/reward", "eval/return_mean"),
        ("response_len reward kl_div", "kl_div", "policy/kl_ref"),
        ("epsilon td_error episode_return", "epsilon", "explore/epsilon"),
        ("shaped_reward env_reward loss", "shaped_reward", "outcome/return_shaped_mean"),
        ("reward format_reward answer_reward", "format_reward", "reward/component_mean"),
        ("reward/total reward/correctness", "reward/correctness", "reward/component_mean"),
        ("rewards/step shaped/x", "rewards/step", "reward/mean"),
        ("agents/agent_0/rewards agent_0/lengths", "agents/agent_0/rewards", "outcome/return_mean"),
        ("PID_4711/Reward PID_4711/Episode_Length", "PID_4711/Reward", "outcome/return_mean"),
        ("exploitability t", "exploitability", "outcome/exploitability"),
        ("policy_loss value_loss nash_conv", "nash_conv", "outcome/exploitability"),
        ("trainloss valloss", "valloss", "eval/loss"),
        ("Loss/train Loss/test", "Loss/test", "eval/loss"),
        ("Reward/train Reward/test", "Reward/test", "eval/return_mean"),
        ("episode reward greedy_reward", "greedy_reward", "eval/return_mean"),
        ("epoch val_mIoU", "val_mIoU", "eval/supervised/score"),
        ("epoch loss eval_macro_f1", "eval_macro_f1", "eval/supervised/score"),
        ("epoch loss eval_wer", "eval_wer", "eval/supervised/error"),
        ("epoch train_cos val_cos", "val_cos", "eval/supervised/score"),
        ("reward_mean kl gold_acc completion_len", "gold_acc", "outcome/success_rate"),
        ("train/loss eval/answer_accuracy", "eval/answer_accuracy", "eval/supervised/accuracy"),
        ("episode average100_reward", "average100_reward", "outcome/return_mean"),
        ("epoch test_err", "test_err", "eval/supervised/error"),
        ("epoch loss acc1", "acc1", "supervised/accuracy"),
        ("step loss hellaswag_acc", "hellaswag_acc", "eval/success_rate"),
        ("reward completion_length humaneval/pass@1", "humaneval/pass@1", "eval/success_rate"),
        ("episode epsilon success%", "success%", "outcome/success_rate"),
        ("step val_bpb", "val_bpb", "eval/loss"),
        ("episode portfolio_value", "portfolio_value", "outcome/score_mean"),
        ("reward/mean reward/hard_pass_rate", "reward/hard_pass_rate", "outcome/success_rate"),
        ("epoch loss recon_loss", "recon_loss", "optim/loss"),
        ("epoch loss test_recon_loss", "test_recon_loss", "eval/loss"),
        ("epoch val_recon", "val_recon", "eval/loss"),
        ("episode reward recon_loss", "recon_loss", "aux/loss"),
        ("episode R policy_loss", "R", "outcome/return_mean"),
        ("step R_mean policy_loss", "R_mean", "reward/mean"),
        ("r l t", "r", "outcome/return_mean"),
        ("episode Reward A_Loss C_Loss", "A_Loss", "policy/loss"),
        ("epoch val_loss precision", "precision", "supervised/score"),
    ],
)
def test_the_words_say_what_it_is(columns, name, metric):
    assert read(columns)[name] == metric


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ("my/own/number loss", "my/own/number"),
        ("loss eval_structure_score_neg", "eval_structure_score_neg"),
        ("loss train/gsm8k", "train/gsm8k"),
        ("exploration_rate epsilon_greedy_x reward", "epsilon_greedy_x"),
        ("reward baseline_reward", "baseline_reward"),
        ("loss best_val_loss", "best_val_loss"),
        ("loss loss_scale", "loss_scale"),
        ("loss kl", "kl"),
        ("reward corr/kl loss", "corr/kl"),
        ("reward policy_loss value_loss valid_loss", "valid_loss"),
    ],
)
def test_what_is_left_open_stays_open(columns, name):
    assert name not in read(columns)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("my_success_rate", 1000 * RISING),
        ("success", -RISING),
        ("my_learning_rate", -3 * RISING),
        ("my_grad_norm", NOISE),
        ("dev_ppl", 0.1 * RISING),
        ("clip_fraction_x", 40 * RISING),
    ],
)
def test_numbers_that_disagree_win(name, values):
    assert name not in read(f"reward {name}", **{name: values})


def test_a_rate_in_percent_becomes_a_share():
    values = {"reward": RISING, "success_rate": 100 * RISING}

    found = catalog.resolve_all(values, facts_of=lambda name: facts_of(values[name]))[
        "success_rate"
    ]

    assert (found.metric, found.scale) == ("outcome/success_rate", 0.01)


def scale_of(values, name="success_rate"):
    logged = {"reward": RISING, name: values}

    return catalog.resolve_all(logged, facts_of=lambda one: facts_of(logged[one]))[name].scale


@pytest.mark.parametrize("name", ["success_rate", "win_rate", "accuracy", "eval/accuracy", "f1"])
@pytest.mark.parametrize("slip", [1.001, 1.02, 1.4, 2.0, 30.0])
def test_one_row_beyond_1_makes_no_percents_of_shares(name, slip):
    values = np.linspace(0.1, 0.97, 40)
    values[30] = slip

    assert scale_of(values, name) == 1.0


@pytest.mark.parametrize(
    "values",
    [np.linspace(0.0, 3.0, 40), np.r_[np.zeros(39), 3.0], np.linspace(0.2, 5.0, 40)],
    ids=["up to 3%", "3% in the last row only", "never more than 5%"],
)
def test_low_percents_are_percents(values):
    assert scale_of(values) == 0.01


@pytest.mark.parametrize(
    ("columns", "metric"),
    [
        ("correct", "outcome/success_rate"),
        ("step correct", "outcome/success_rate"),
        ("episode reward correct", "outcome/success_rate"),
        ("epoch loss val_loss correct", "supervised/accuracy"),
        ("eval/correct", "eval/success_rate"),
    ],
)
def test_answers_that_are_right_are_an_outcome_by_that_word(columns, metric):
    name = columns.split()[-1]
    hits = (RISING + 0.2 * NOISE > 0.5).astype(float)

    assert read(columns, **{name: hits})[name] == metric
    assert name not in read(columns, **{name: np.round(40 * RISING)})


def test_seconds_that_fall_are_no_time_since_the_start():
    falling = read("loss my/elapsed", **{"my/elapsed": 5 + NOISE})
    rising = read("loss my/elapsed", **{"my/elapsed": COUNTER})

    assert falling["my/elapsed"] == "time/step_s"
    assert rising["my/elapsed"] == "time/elapsed_s"


def test_steps_of_an_episode_are_not_steps_of_the_run():
    found = read("episode reward steps", steps=np.abs(NOISE))

    assert found["steps"] == "outcome/episode_length_mean"


def test_milliseconds_become_seconds():
    values = {"loss": LOSS, "iteration_time_ms": 20 + NOISE}

    found = catalog.resolve_all(values, facts_of=lambda name: facts_of(values[name]))

    assert found["iteration_time_ms"].metric == "time/step_s"
    assert found["iteration_time_ms"].scale == pytest.approx(1e-3)


def test_the_certainty_of_words_is_never_that_of_a_tool():
    values = {"Train/Reward": RISING, "gibberish/success": RISING}

    found = catalog.resolve_all(values, facts_of=lambda name: facts_of(values[name]))

    assert {one.how for one in found.values()} == {"words"}
    assert found["Train/Reward"].sure == "likely"
    assert found["gibberish/success"].sure == "guess"


def test_without_numbers_a_lone_name_needs_words_that_leave_nothing_open():
    assert catalog.resolve("Train/Reward") is None
    assert catalog.resolve("Train/EpisodeReward").metric == "outcome/return_mean"


def test_without_numbers_the_other_names_decide():
    found = catalog.resolve_all(["Train/Reward", "Train/Length"])

    assert found["Train/Reward"].metric == "outcome/return_mean"


def test_a_name_its_own_tool_leaves_without_meaning_is_not_read_by_words():
    names = ["rollout/ep_rew_mean", "train/approx_kl", "time/fps", "train/loss"]

    found = catalog.resolve_all(names, framework="sb3", facts_of=lambda name: facts_of(LOSS))

    assert found["train/loss"].metric == "optim/loss"


def test_a_folder_of_one_agent_says_whose_number_it_is():
    names = ["per_agent/agent_0/rewards", "per_agent/agent_1/rewards", "episode_length"]
    found = catalog.resolve_all(names, facts_of=lambda name: facts_of(RISING + 20))

    assert [dict(found[name].labels) for name in names[:2]] == [{"agent": "0"}, {"agent": "1"}]


@pytest.mark.parametrize(
    "name", ["final_eval/baselines/win_rate", "eval/baseline/random/score", "eval/baselines/reward"]
)
def test_what_a_baseline_reaches_is_not_the_outcome_of_the_run(name):
    assert name not in read(f"train/episode_reward train/episode_length {name}")


def test_a_metric_that_a_user_gave_to_the_trainer_is_read_by_its_words():
    names = [
        "loss",
        "grad_norm",
        "learning_rate",
        "eval_loss",
        "eval_runtime",
        "eval_f1",
        "eval_own",
    ]
    numbers = {"eval_f1": RISING, "eval_own": RISING}
    found = catalog.resolve_all(
        names, framework="transformers", facts_of=lambda name: facts_of(numbers.get(name, LOSS))
    )
    assert found["eval_f1"].metric == "eval/supervised/score"
    assert found["eval_own"].metric == "eval/supervised/metric"


def test_how_much_a_rate_improved_is_not_the_rate():
    found = read("val/accuracy val/accuracy_improved")

    assert found == {"val/accuracy": "eval/supervised/accuracy"}
