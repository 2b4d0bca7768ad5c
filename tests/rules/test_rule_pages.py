from runvitals.rules._docs import FOLDER, pages


def test_the_rule_book_is_up_to_date():
    texts = pages()
    kept = {name for name in texts if name.startswith("rules/")}

    for name, text in texts.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "run make docs"
    assert {f"rules/{page.name}" for page in (FOLDER / "rules").iterdir()} == kept
