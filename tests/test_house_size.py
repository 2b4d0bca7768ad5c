"""The house stays small enough to be lived in: what `python -m tests.house_size` prints has limits."""

import ast
from pathlib import Path

import pytest
from tests.house_size import House, function_sizes, measure, public_classes


@pytest.fixture(scope="module")
def house() -> House:
    return measure()


def test_the_house_as_a_whole(house):
    assert house.lines <= 111_990
    assert house.files <= 795
    assert len(house.rooms) <= 24


def test_a_class_has_a_name_of_its_own(house):
    assert len(house.homonyms) <= 1


def test_a_function_fits_on_a_screen(house):
    assert len(house.long_functions) == 0


def test_a_file_can_be_read_in_one_go(house):
    assert len(house.long_files) == 0


def test_rooms_classes_and_functions_are_counted(tmp_path: Path):
    room = tmp_path / "room"
    room.mkdir()
    for name in ("one", "two"):
        (room / f"{name}.py").write_text("class Twin:\n    pass\n")
    (tmp_path / "alone.py").write_text("\n" * 451)

    house = measure(tmp_path)

    assert house.rooms == {"room": (2, 4)}
    assert list(house.homonyms) == ["Twin"]
    assert [part.lines for part in house.long_files] == [451]
    assert house.files == 3


def test_private_classes_and_methods_are_told_apart():
    tree = ast.parse("class _Own:\n    def act(self):\n        pass\nclass Public:\n    pass\n")

    assert list(public_classes(tree)) == ["Public"]
    assert list(function_sizes(tree)) == [("act", 2)]
