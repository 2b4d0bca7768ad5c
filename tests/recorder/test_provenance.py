from importlib import metadata

from runvitals.recorder.provenance import packages


def test_packages_are_those_that_the_standard_library_finds():
    found = packages()

    named = [one for one in metadata.distributions() if one.metadata["Name"]]
    assert found == {one.metadata["Name"]: one.version for one in named}
    assert "numpy" in found


def test_a_package_without_name_or_description_is_left_out(tmp_path, monkeypatch):
    for name, text in (
        ("whole", "Name: whole\nVersion: 1\n\nName: not\n"),
        ("half", "Version: 2\n"),
    ):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "METADATA").write_text(text)
    (tmp_path / "empty-1.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    found = packages()

    assert found["whole"] == "1"
    assert found.keys().isdisjoint({"half", "empty", "not"})
