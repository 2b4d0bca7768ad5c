"""Names taken apart."""

import pytest

from runvitals.catalog.resolving.by_words.parse import parse
from runvitals.catalog.resolving.by_words.read import speaks_of


@pytest.mark.parametrize(
    "name", ["val_loss", "Val/Loss", "validationLoss", "dev loss", "test/loss"]
)
def test_all_spellings_of_held_out_are_one(name):
    parsed = parse(name)

    assert parsed.held_out
    assert parsed.tail == ("loss",)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("avg_reward_100", "window", "100"),
        ("q1_loss", "index", "1"),
        ("rewards/iter", "axis", "iteration"),
        ("step_time_ms", "unit", "ms"),
        ("tokens_per_second", "unit", None),
    ],
)
def test_what_is_not_the_quantity_is_set_apart(name, field, value):
    assert getattr(parse(name), field) == value


@pytest.mark.parametrize("name", ["", "///", " ".join(["word"] * 40)])
def test_what_is_no_name_is_not_read(name):
    assert parse(name) is None


@pytest.mark.parametrize(
    ("name", "subject"),
    [("my_loss", "loss"), ("foo_score", "outcome"), ("kl_x", "update"), ("loss_scale", None)],
)
def test_what_a_strange_name_speaks_of(name, subject):
    assert speaks_of(name) == subject
