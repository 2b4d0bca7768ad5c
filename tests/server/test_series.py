"""Series in binary: points or buckets, over any axis."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from runvitals.view.points.axis_series import AxisSeries
from runvitals.view.points.buckets import bucketed, cut
from runvitals.view.points.pyramid import Pyramid

from .conftest import until


def over_axis(values, x=None):
    values = np.asarray(values, float)
    x = np.arange(len(values), dtype=float) if x is None else np.asarray(x, float)
    odd = np.flatnonzero(~np.isfinite(values))
    return AxisSeries(x, values, odd, Pyramid.over(values))


@pytest.mark.parametrize("count", [20_000, 300_000], ids=["from points", "from the pyramid"])
def test_every_spike_of_one_step_is_seen(count):
    rng = np.random.default_rng(0)
    values = rng.normal(size=count)
    spikes = rng.choice(count, 20, replace=False)
    values[spikes] = 100.0 + np.arange(20)

    made = bucketed(over_axis(values), 0, count, 600)

    assert len(made.x) <= 600
    assert all((made.high == 100.0 + i).any() for i in range(20))


@pytest.mark.parametrize("first", [0, 1, 77_777])
@pytest.mark.parametrize("stop", [200_000, 199_999, 123_456])
def test_the_pyramid_says_what_the_points_say(first, stop):
    rng = np.random.default_rng(1)
    values = rng.normal(size=200_000).cumsum()
    values[rng.choice(200_000, 5_000, replace=False)] = np.nan
    whole = over_axis(values)

    made = bucketed(whole, first, stop, 100)

    inside = values[first:stop]
    assert made.low.min() == np.nanmin(inside)
    assert made.high.max() == np.nanmax(inside)
    at = np.searchsorted(whole.x, made.x[1:-1])
    assert (made.low[1:-1] <= np.nan_to_num(values[at], nan=np.inf)).all()
    assert np.all((made.mean >= made.low) & (made.mean <= made.high))
    assert len(made.x) <= 100
    assert np.all(np.diff(made.x) > 0)


def test_buckets_equal_those_counted_by_hand():
    values = np.array([3.0, 1.0, np.nan, 2.0, 9.0, 4.0, np.nan, np.nan])

    made = bucketed(over_axis(values), 0, 8, 4)

    assert made.low.tolist()[:3] == [1.0, 2.0, 4.0]
    assert made.high.tolist()[:3] == [3.0, 2.0, 9.0]
    assert made.mean.tolist()[:3] == [2.0, 2.0, 6.5]
    assert np.isnan(made.low[3])


def test_a_cut_takes_one_point_more_on_each_side():
    whole = over_axis(np.arange(10.0))

    assert cut(whole, 3.0, 5.0) == (2, 7)
    assert cut(whole, -5.0, None) == (0, 10)
    assert cut(whole, 50.0, 60.0) == (9, 10)
    assert cut(over_axis([]), 0.0, 1.0) == (0, 0)


def test_a_short_series_comes_as_its_points(gallery, series):
    got = series(gallery, "calm", "policy/entropy", "my_number")

    assert list(got) == ["policy/entropy", "my_number"]
    assert got["my_number"]["raw"] is True
    assert got["my_number"]["x"].tolist() == [1000.0 * i for i in range(1, 61)]
    assert got["my_number"]["value"].tolist() == [float(i) for i in range(1, 61)]
    assert (got["my_number"]["x_min"], got["my_number"]["x_max"]) == (1000.0, 60_000.0)


def test_a_long_series_comes_in_buckets(gallery, series):
    got = series(gallery, "calm", "my_number", buckets=10)["my_number"]

    assert got["raw"] is False
    assert got["count"] == 60
    assert got["low"].tolist() == [1.0 + 6 * i for i in range(10)]
    assert got["high"].tolist() == [6.0 + 6 * i for i in range(10)]


def test_a_part_of_a_series_can_be_asked_for(gallery, series):
    got = series(gallery, "calm", "my_number", **{"from": 10_000, "to": 12_000})["my_number"]

    assert got["value"].tolist() == [9.0, 10.0, 11.0, 12.0, 13.0]
    assert got["x_max"] == 60_000.0


def test_x_may_be_time_or_a_counter(site, start, series):
    run = start(name="counted")
    for i in range(1, 30):
        run.log({"progress/tokens": 100.0 * i, "loss": float(i)}, step=i)
    run.finish()
    client = site()

    by_tokens = series(client, "counted", "loss", x="progress/tokens")["loss"]
    by_time = series(client, "counted", "loss", x="time")["loss"]
    relative = series(client, "counted", "loss", x="relative")["loss"]

    assert "progress/tokens" in client.run("counted")["x_axes"]
    assert by_tokens["x"].tolist() == [100.0 * i for i in range(1, 30)]
    assert by_time["x"][0] > 1e9
    assert 0 <= relative["x"][0] < 60
    assert np.allclose(np.diff(by_time["x"]), np.diff(relative["x"]), atol=1e-6)


def test_a_log_without_times_is_drawn_over_steps_only(site, tmp_path):
    (tmp_path / "log.csv").write_text("step,loss\n" + "".join(f"{i},{i}\n" for i in range(9)))

    client = site()
    [row] = client.runs()

    assert client.run(row["name"])["x_axes"] == ["step"]


def test_steps_are_placed_on_other_axes(site, start):
    run = start(name="long")
    for i in range(5_000):
        run.log({"progress/tokens": 100.0 * i, "loss": float(i)}, step=2 * i)
    run.finish()
    client = site()
    url = f"/api/runs/{client.id_of('long')}/milestones"

    by_tokens = client.get(url, params={"x": "progress/tokens"}).json()
    by_time = client.get(url, params={"x": "time"}).json()

    assert len(by_tokens["steps"]) == 2_000
    assert (by_tokens["steps"][0], by_tokens["steps"][-1]) == (0, 9_998)
    assert np.allclose(by_tokens["x"], np.multiply(by_tokens["steps"], 50.0))
    assert np.all(np.diff(by_time["x"]) >= 0)
    assert client.get(url, params={"x": "nothing"}).status_code == 404


def test_small_differences_and_large_numbers_keep_their_digits(site, start, series):
    run = start(name="fine")
    for i in range(30):
        run.log({"flat": 1e6 + i / 1000, "huge": 1e300 * (1 + i), "usual": float(i)}, step=i)
    run.finish()
    client = site()

    got = series(client, "fine", "flat", "huge", "usual")

    assert got["flat"]["value"].tolist() == [1e6 + i / 1000 for i in range(30)]
    assert got["huge"]["value"].tolist() == [1e300 * (1 + i) for i in range(30)]
    assert got["usual"]["value"].dtype == np.float32


def test_values_are_in_the_unit_and_sign_of_the_catalog(site, tmp_path, series):
    with open(tmp_path / "progress.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time/total_timesteps", "rollout/ep_rew_mean", "train/entropy_loss"])
        writer.writerows([i * 2048, i * 3.0, -0.5] for i in range(1, 40))
    client = site()
    [row] = client.runs()

    got = series(client, row["name"], "train/entropy_loss")["train/entropy_loss"]

    assert set(got["value"].tolist()) == {0.5}


def test_series_that_are_known_are_not_sent_again(gallery):
    url = f"/api/runs/{gallery.id_of('calm')}/series?name=my_number"
    tag = {"If-None-Match": gallery.get(url).headers["etag"]}

    assert gallery.get(url, headers=tag).status_code == 304
    assert gallery.get(f"{url}&buckets=10", headers=tag).status_code == 200


def test_a_restart_that_logs_steps_anew_is_seen(site, start, series):
    def life(value):
        run = start(name="again", id="again", resume=True)
        for i in range(20):
            run.log({"loss": value}, step=i)
        run.finish()

    life(1.0)
    client = site()
    before = series(client, "again", "loss")["loss"]["value"]
    life(2.0)

    def value():
        return series(client, "again", "loss")["loss"]["value"][0]

    assert before[0] == 1.0
    assert until(lambda: value() == 2.0)


def test_what_the_run_does_not_have_is_not_found(gallery):
    url = f"/api/runs/{gallery.id_of('calm')}/series"

    assert gallery.get(url, params={"name": "nothing"}).status_code == 404
    assert gallery.get(url, params={"name": "my_number", "x": "nothing"}).status_code == 404
    assert gallery.get(url, params={"name": "my_number", "buckets": 0}).status_code == 422
    assert gallery.get(url, params={"name": "my_number", "from": "nan"}).status_code == 422
    assert gallery.get(url).status_code == 422
