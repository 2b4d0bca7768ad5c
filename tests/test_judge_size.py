"""The judge stays small enough to be read: what `python -m tests.judge_size` prints has limits."""

from tests.judge_size import JUDGE, OUTCOME_TO_WORD, RULES, constants_of, size_of


def test_from_an_outcome_to_its_word_is_one_sitting():
    size = size_of(OUTCOME_TO_WORD)

    assert size.files <= 7
    assert size.lines <= 1_200
    assert size.constants <= 41


def test_rules_decide_by_shared_detectors_and_bands_not_by_constants_of_their_own():
    assert size_of(RULES).constants <= 309


def test_the_judge_as_a_whole():
    assert size_of(JUDGE).lines <= 20_200


def test_numbers_with_a_name_are_counted():
    assert constants_of("A = 1\nB, C = 2, 3.5\nNAMES = ('a',)\nON = True\n") == 3
