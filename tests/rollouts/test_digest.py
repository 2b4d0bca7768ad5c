import random
from dataclasses import replace

from runvitals.model import Rollout
from runvitals.rollouts.digest import (
    MAX_KEPT,
    MAX_OF_GROUP,
    MAX_PROMPTS,
    MAX_STRETCHES,
    MAX_TEXT,
    digested,
)


def rollouts(steps, groups=4, size=4):
    return [
        Rollout(step, f"p{group}", f"text {step} {group} {k}", float(k), group=f"p{group}")
        for step in range(steps)
        for group in range(groups)
        for k in range(size)
    ]


def test_a_short_run_is_kept_whole():
    digest = digested(rollouts(10))

    assert [one.last for one in digest.stretches] == list(range(10))
    assert len(list(digest.rollouts())) == 160


def test_however_long_a_run_is_few_are_kept_from_every_part():
    digest = digested(rollouts(5_000, groups=8, size=2))

    assert MAX_STRETCHES <= len(digest.stretches) <= 2 * MAX_STRETCHES
    assert all(len(one.kept) <= MAX_KEPT for one in digest.stretches)
    assert sum(one.count for one in digest.stretches) == 80_000
    assert (digest.stretches[0].first, digest.stretches[-1].last) == (0, 4_999)


def test_groups_are_kept_whole_or_not_at_all():
    digest = digested(rollouts(1, groups=50, size=8))

    groups = {}
    for one in digest.rollouts():
        groups[one.group] = groups.get(one.group, 0) + 1
    assert set(groups.values()) == {8}


def test_one_large_group_is_cut():
    digest = digested(rollouts(1, groups=1, size=500))

    assert len(list(digest.rollouts())) == MAX_OF_GROUP


def test_what_is_kept_does_not_depend_on_the_order():
    made = rollouts(300)
    mixed = random.Random(0).sample(made, len(made))

    kept = [sorted(map(str, one.kept)) for one in digested(made).stretches]

    assert kept == [sorted(map(str, one.kept)) for one in digested(mixed).stretches]


def test_the_highest_reward_is_never_lost():
    made = [*rollouts(400), Rollout(200, "p", "the best of all", 99.0, group="p")]

    digest = digested(made)

    assert any(one.reward == 99.0 for stretch in digest.stretches for one in stretch.extremes)


def test_prompts_are_bounded_and_the_same_in_any_order():
    made = [
        Rollout(step, f"p{step}", "text", 1.0, group=f"p{step}", held_out=step % 7 == 0)
        for step in range(5_000)
    ]
    mixed = random.Random(1).sample(made, len(made))

    kept = digested(made).prompts

    assert len(kept) <= MAX_PROMPTS
    assert kept == digested(mixed).prompts


def test_long_texts_are_kept_by_their_ends_under_the_same_name():
    long = Rollout(3, "p", "begin " + "word " * 100_000 + "end", 1.0, group="p")

    digest = digested([*rollouts(10), long])

    [kept] = [one for one in digest.rollouts() if one.completion.startswith("begin")]
    assert len(kept.completion) == MAX_TEXT
    assert kept.completion.endswith("end")
    assert (kept.id, kept.characters) == (long.id, len(long.completion))


def test_the_longest_text_is_never_lost():
    made = [*rollouts(400), Rollout(200, "p", "w" * 5_000, 0.0, group="p")]

    digest = digested(made)

    assert max(e.characters for one in digest.stretches for e in one.extremes) == 5_000


def test_texts_of_an_evaluation_are_kept_only_in_a_run_without_others():
    trained = rollouts(4)
    held_out = [replace(one, held_out=True) for one in rollouts(6)]

    assert len(list(digested(held_out).rollouts())) == 96
    for both in ([*trained, *held_out], [*held_out, *trained]):
        assert sorted({one.last for one in digested(both).stretches}) == [0, 1, 2, 3]
