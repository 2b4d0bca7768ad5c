from pathlib import Path

from tests.rules.reference_pages import FOLDER, pages

from runvitals.rules.registry import Rule, rules


def test_the_rule_book_is_up_to_date():
    texts = pages()
    kept = {name for name in texts if name.startswith("rules/")}

    for name, text in texts.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "run make docs"
    assert {f"rules/{page.name}" for page in (FOLDER / "rules").iterdir()} == kept


def test_the_title_of_a_rule_is_a_whole_sentence():
    assert [rule.title for rule in rules().values() if not rule.title.endswith(".")] == []


def test_each_rule_has_a_test_of_its_own():
    without = [rule.code for rule in rules().values() if rule.code not in _tests_beside(rule)]

    assert not without, "a rule proves that it fires, that it stays silent, and what it catches"


def _tests_beside(rule: Rule) -> str:
    family = rule.check.__module__.split(".")[-2]
    files = (Path(__file__).parent / family).glob("test_*.py")
    return "".join(file.read_text(encoding="utf-8") for file in files)
