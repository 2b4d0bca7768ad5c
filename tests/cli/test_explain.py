"""`runvitals explain`."""

import json

import pytest
import typer
from typer.testing import CliRunner

from runvitals.cli.explain import explain
from runvitals.model import ConfigError, RunvitalsError
from runvitals.view.knowledge.look_up import look_up

app = typer.Typer()
app.command()(explain)


def run(*args):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "120"})


def test_an_alias_is_explained():
    result = run("actor/ppo_kl")

    assert result.exit_code == 0
    for part in (
        "policy/kl_old",
        "Watch for",
        "losses/old_approx_kl",
        "Not the same as",
        "ppo-grpo",
    ):
        assert part in result.output


def test_sources_of_healthy_ranges_are_shown():
    output = run("policy/clip_fraction").output
    bands = json.loads(run("policy/clip_fraction", "--format", "json").output)["healthy"]

    assert "up to 0.2" in output
    assert "0.1 to 0.3" in output
    assert "Training Monitoring Guide" in [band["source"] for band in bands]


def test_the_sign_is_explained():
    assert "-1 * logged value" in run("train/entropy_loss", "--framework", "sb3").output


def test_an_ambiguous_name_shows_what_decides():
    result = run("kl")

    assert result.exit_code == 0
    assert "preference/kl" in result.output
    assert "policy/kl_ref" in result.output
    assert "--framework" in result.output


@pytest.mark.parametrize("name", ["entropy", "grad_norm"])
def test_an_ambiguous_name_shows_the_ranges_of_what_it_may_be(name):
    shown = run(name).output

    assert "Healthy" in shown
    assert "Training Monitoring Guide" in " ".join(shown.split())


def test_the_tool_settles_an_ambiguous_name():
    output = run("kl", "-f", "trl", "-a", "GRPO").output
    assert output.startswith("policy/kl_ref")


def test_a_word_of_the_glossary_is_defined():
    assert "advantage" in run("GAE").output


def test_a_known_name_without_meaning_says_so():
    assert "no general meaning" in run("rollout_corr/rollout_log_ppl").output


@pytest.mark.parametrize("name", ["train/approx_kl", "kl", "GAE", "eval/preference/margin"])
def test_json_is_for_machines(name):
    answer = json.loads(run(name, "--format", "json").output)
    assert answer["query"] == name
    assert answer["kind"] in {"metric", "ambiguous", "term"}


def test_an_unknown_name_is_an_error_with_near_names():
    error = run("policy/aprox_kl_").exception

    assert isinstance(error, ConfigError)
    assert "policy/approx_kl" in str(error)


def test_the_code_of_a_rule_leads_to_the_command_that_explains_it():
    error = run("kl001").exception

    assert isinstance(error, ConfigError)
    assert "runvitals rule KL001" in str(error)


def test_an_unknown_tool_is_an_error():
    assert isinstance(run("kl", "-f", "nobody").exception, ConfigError)


@pytest.mark.parametrize(
    ("query", "some"),
    [
        ("System/*", {"System/CPU_Percent", "System/GPU_Utilization"}),
        ("Train/", {"Train/Loss", "Train/RewardVariance"}),
        ("Epoch/", {"Epoch/RewardTrend", "Epoch/APITokens"}),
        ("timing_s", {"timing_s/gen", "timing_s/update_actor"}),
        ("temp_*", {"temp_is_pulsing", "temp_qps_pressure_ema"}),
        ("global_seqlen/*", {"global_seqlen/minmax_diff"}),
        ("num_turns/*", {"num_turns/min", "num_turns/max"}),
        ("perf/mfu/*", {"perf/mfu/actor", "perf/mfu/actor_infer"}),
        (
            "timing_s/agent_loop/generate_sequences/min|max|mean",
            {"timing_s/agent_loop/generate_sequences/min"},
        ),
        ("mismatch", {"mismatch/kl"}),
    ],
)
def test_a_family_is_listed(query, some):
    answer = json.loads(run(query, "--format", "json").output)

    assert answer["kind"] == "family"
    assert some <= {member["name"] for member in answer["members"]}
    assert min(some) in run(query).output


@pytest.mark.parametrize(
    ("query", "metric"),
    [
        ("val-core/*/acc/mean@1", "eval/mean_at_n"),
        ("val-aux/*/reward/mean@1", "eval/mean_at_n"),
        ("Actions/replica_*", "policy/action_share"),
        ("action_replica_n", "policy/action_share"),
        ("lr_scheduler/*", "optim/learning_rate"),
        ("timing_per_token_ms/*", "time/per_token_ms"),
        ("timing_s/agent_loop/slowest/*", "time/slowest_sample_s"),
        ("timing_s/agent_loop/generate_sequences/max", "time/generation_sample_max_s"),
        ("ppo/val/mean", "value/mean"),
        ("approximate KL divergence", "policy/approx_kl"),
        ("gradient norms", "optim/grad_norm"),
        ("updates/sec", "throughput/updates_per_s"),
    ],
)
def test_a_family_of_one_metric_is_that_metric(query, metric):
    assert json.loads(run(query, "--format", "json").output)["metric"] == metric


def test_a_name_that_is_also_a_head_shows_what_is_below():
    output = run("Epoch").output
    assert "progress/epoch" in output
    assert "Epoch/RewardTrend" in output


def test_a_setting_is_explained():
    output = run("target_kl").output
    assert "a setting" in output
    assert "policy/approx_kl" in output
    assert "Also a setting" in run("clip_ratio").output


def test_lists_and_symptoms_are_explained():
    assert "throughput/updates_per_s" in run("minimum viable dashboard").output
    assert "balance/seqlen_max" in run("OOM").output
    assert "policy/approx_kl" in run("KL spikes").output


@pytest.mark.parametrize(
    "word",
    ["Policy (π)", "TD(λ)", "training_progress.json", "ppo_training.log", "metrics/", "val-core"],
)
def test_words_are_found_as_documents_write_them(word):
    assert json.loads(run(word, "--format", "json").output)["kind"] == "term"


def test_sources_in_lower_case_are_no_markup():
    assert "[veRL FAQ]" in run("mismatch/prob_diff_mean").output
    assert "[healthy" in run("policy/clip_fraction").output


@pytest.mark.parametrize("query", ["/", "no/such/*", "|", "//*"])
def test_an_empty_family_is_an_error(query):
    assert isinstance(run(query).exception, ConfigError)


@pytest.mark.parametrize("name", ["*", "**", "/", " "])
def test_every_name_at_once_is_refused(name):
    with pytest.raises(RunvitalsError, match="every name there is"):
        look_up(name, None, None)


@pytest.mark.parametrize(
    ("tool", "parts"),
    [
        ("veRL", ["actor/entropy", "actor/ppo_kl", "actor/grad_norm", "timing_s/gen"]),
        ("OpenRLHF", ["entropy_loss", "ppo_kl", "actor_grad_norm", "response_length"]),
        ("TRL", ["objective/kl", "grad_norm", "rewards/margins", "completions/mean_length"]),
        ("sb3", ["train/approx_kl", "sign reversed", "rollout/ep_rew_mean"]),
    ],
)
def test_a_tool_is_explained_by_what_it_calls_things(tool, parts):
    result = run(tool)

    assert result.exit_code == 0
    for part in (*parts, "Calls things", "names known"):
        assert part in result.output, part


def test_a_tool_says_what_it_has_no_name_for():
    assert look_up("TRL", None, None)["not_logged"] == ["Generation time"]


def test_tools_are_compared_by_their_names_for_one_thing():
    output = run("--frameworks", "KL").output

    for name in ("actor/ppo_kl", "objective/kl", "train/approx_kl", "losses/old_approx_kl"):
        assert name in output
    assert output.index("policy/kl_old") < output.index("policy/kl_ref")


def test_the_comparison_is_there_for_machines_and_for_any_metric():
    answer = json.loads(run("--frameworks", "explained_var", "--format", "json").output)

    assert answer["metrics"] == ["value/explained_variance"]
    assert {"framework", "name", "metric"} <= set(answer["names"][0])
