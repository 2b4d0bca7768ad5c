"""Which runs are siblings."""

from __future__ import annotations

from runvitals.comparison.siblings import Described, alike_siblings, siblings_of

BASE = {"lr": 0.1, "clip": 0.2, "gamma": 0.99, "epochs": 4}


def runs(count, project="p", **settings):
    return [
        Described(f"{project}{settings}{i}", f"run{i}", (project,), {**BASE, **settings, "seed": i})
        for i in range(count)
    ]


def test_seeds_of_the_same_settings_come_first():
    group, other = runs(5), runs(9, lr=0.5)

    found = siblings_of(group[0], [*group, *other])

    assert found.runs == tuple(one.id for one in group[1:])
    assert found.differs is None


def test_with_too_few_seeds_the_largest_group_that_differs_in_one_setting_is_taken():
    alone, four, five = runs(1), runs(4, lr=0.5), runs(5, clip=0.3)

    found = siblings_of(alone[0], [*alone, *four, *five])

    assert found.runs == tuple(one.id for one in five)
    assert (found.differs, found.alike, set(found.values.values())) == ("clip", True, {0.3})


def test_a_line_of_single_runs_over_one_setting_is_not_alike():
    line = [one for rate in (0.1, 0.2, 0.3, 0.4) for one in runs(1, lr=rate)]

    found = siblings_of(line[0], line)

    assert len(found.runs) == 3
    assert (found.differs, found.alike) == ("lr", False)


def test_other_projects_and_runs_that_differ_in_two_settings_are_no_siblings():
    mine = runs(1)[0]
    others = [*runs(6, project="q"), *runs(6, lr=0.5, clip=0.3)]

    assert siblings_of(mine, others).runs == ()


def test_one_setting_under_two_names_counts_once():
    mine = Described("a", "a", (), {**BASE, "learning_rate": 0.1})
    others = [
        Described(str(i), "b", (), {**BASE, "lr": 0.5, "learning_rate": 0.5}) for i in range(4)
    ]

    assert siblings_of(mine, others).differs == "lr"


def test_paths_names_and_results_do_not_keep_siblings_apart():
    named = [
        Described(
            str(i), "x", (), {**BASE, "run_name": f"x{i}", "log_dir": f"/tmp/{i}", "best_metric": i}
        )
        for i in range(3)
    ]

    assert len(siblings_of(named[0], named).runs) == 2


def test_logs_that_tell_hardly_any_setting_need_like_names():
    def told(name):
        return Described(name, name, (), {"lr": 0.1})

    runs = [told("ppo-healthy-s0"), told("ppo-healthy-s1"), told("ppo-broken-s1")]

    assert siblings_of(runs[0], runs).runs == ("ppo-healthy-s1",)


def test_all_siblings_at_once_are_those_of_each_run():
    group, odd, few = runs(6), runs(1, lr=0.5), runs(3, clip=0.9, lr=0.7)

    found = alike_siblings([*group, *odd, *few])

    assert set(found) == {one.id for one in (*group, *odd)}
    for run in (*group, *odd):
        alone = siblings_of(run, [*group, *odd, *few])
        assert set(found[run.id].runs) == set(alone.runs)
        assert (found[run.id].differs, found[run.id].values) == (alone.differs, alone.values)
