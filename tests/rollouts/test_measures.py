import random

import pytest
from tests.rollouts import writing

from runvitals.model import Rollout, Turn
from runvitals.rollouts import measures
from runvitals.rollouts.measures import is_empty

CODE = '''def area(r):
    """Area of a circle."""
    return 3.14159 * r ** 2

for r in range(10):
    print(f"{r}: {area(r):.2f}")
'''
FORMULA = (
    r"We have $\int_0^1 x^2 \, dx = \frac{1}{3}$, hence $\sum_{i=1}^n i = \frac{n(n+1)}{2}$ holds."
)
CHINESE = "首先我们计算苹果的总数然后把它除以二因此每个篮子里还剩下三个苹果这就是问题的答案"
TABLE = "| name | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n"
SOUND = [writing.sound("q"), CODE, FORMULA, CHINESE, TABLE, "42", "yes", ""]


@pytest.mark.parametrize("text", SOUND, ids=range(len(SOUND)))
def test_sound_texts_of_any_kind_are_neither_garbage_nor_loops(text):
    assert not measures.is_garbage(text)
    assert not measures.is_loop(text)
    assert not measures.is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "!" * 100,
        "\n" * 50,
        "\ufffd\ufffd\ufffd abc \ufffd\ufffd\ufffd\ufffd def \ufffd\ufffd" * 3,
        "".join(random.Random(0).choice("☃♞⚙♻☂☯✈✂") for _ in range(60)),
        "".join(random.Random(1).choice([chr(c) for c in range(33, 127)]) for _ in range(600)),
        "".join(random.Random(2).choice("abcdefghijklmnopqrstuvwxyz") for _ in range(400)),
    ],
    ids=[
        "one character",
        "nothing but lines",
        "broken encoding",
        "symbols",
        "random bytes",
        "no words",
    ],
)
def test_garbage_is_known(text):
    assert measures.is_garbage(text)


def test_loops_are_known_with_and_without_words():
    assert measures.is_loop(writing.loop("q"))
    assert measures.is_loop("苹果很好吃我们再来一个" * 40)


def test_copies_are_known_and_quotes_are_not():
    prompt = writing.prose(60)

    assert measures.is_copy(prompt, prompt)
    assert not measures.is_copy(prompt, f"{' '.join(prompt.split()[:8])} {writing.prose(60)}")


@pytest.mark.parametrize(
    ("text", "unfinished"),
    [
        ("<think>so and so</think> 4", False),
        ("<think>so and so", True),
        ("<think>so and so</think>", True),
        ("no reasoning at all", False),
    ],
)
def test_reasoning_has_to_lead_to_something(text, unfinished):
    assert measures.thinks_without_answer(text) is unfinished


def test_languages_are_mixed_only_where_the_prompt_does_not_ask_for_it():
    assert measures.mixes_scripts("How many apples?", writing.mixed("q"))
    assert not measures.mixes_scripts("翻译成中文：我们先计算所有苹果的数量", writing.mixed("q"))
    assert not measures.mixes_scripts(
        "How many?", "the angle α and β, so cos(θ) = π/2 and Δ > 0 holds"
    )


def test_a_text_of_nothing_is_empty_and_a_tool_call_is_not():
    call = Turn("assistant", "", ("find(x)",))

    assert is_empty(Rollout(1, "p", " \n"))
    assert not is_empty(Rollout(1, "p", "", turns=(call,)))
    assert not is_empty(Rollout(1, "p", "7"))
