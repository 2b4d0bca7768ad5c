"""Real apprise, posting to a real server on this machine."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from runvitals.diagnosis.live import notify
from runvitals.diagnosis.live.notify import Notifier

pytest.importorskip("apprise")


@pytest.fixture
def said() -> list[str]:
    return []


def notifier(urls: list[str], said: list[str], **options: Any) -> Notifier:
    return Notifier(urls, "runvitals: a run", lambda cause, text: said.append(text), **options)


def test_the_first_finding_is_sent_at_once_and_the_rest_in_one_message(inbox, said):
    sender = notifier([inbox.url], said)
    sender.tell(("NUM001", "loss"), "NUM001 critical")
    assert inbox.arrived.wait(600)
    for i in range(3):
        sender.tell(("KL001", str(i)), f"KL001 {i}")

    sender.close()

    assert [m["message"] for m in inbox.messages] == [
        "NUM001 critical",
        "KL001 0\nKL001 1\nKL001 2",
    ]
    assert inbox.messages[0]["title"] == "runvitals: a run"
    assert said == []


def test_the_same_finding_is_sent_once(inbox, said):
    sender = notifier([inbox.url], said)
    for _ in range(5):
        sender.tell(("KL001", "kl"), "KL001")

    sender.close()

    assert [m["message"] for m in inbox.messages] == ["KL001"]


def test_a_flood_is_cut_short(inbox, said):
    sender = notifier([inbox.url], said)
    sender.tell(("first",), "first")
    assert inbox.arrived.wait(600)
    for i in range(100):
        sender.tell(("KL001", str(i)), f"line {i}")

    sender.close()

    assert inbox.messages[1]["message"].endswith("line 19\nand 80 more")


def test_a_dead_server_is_complained_about_once_without_its_password(said):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sender = notifier([f"json://user:hunter2@127.0.0.1:{port}"], said)
    sender.tell(("KL001", "kl"), "KL001")

    sender.close()

    assert said == ["a notification could not be delivered"]


def test_a_server_that_never_answers_does_not_hold_the_end_up(said, monkeypatch):
    monkeypatch.setattr(notify, "CLOSE_SECONDS", 0.5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        sender = notifier([f"json://127.0.0.1:{silent.getsockname()[1]}"], said)
        sender.tell(("KL001", "kl"), "KL001")
        connection, _ = silent.accept()

        with connection:
            sender.close()
            told = list(said)  # once the connection is closed, the sender hears of it

    assert told == ["notifications: the server does not answer"]


def test_an_unknown_service_is_named_by_its_number(said):
    sender = notifier(["nonsense://secret"], said)
    sender.tell(("KL001", "kl"), "KL001")

    sender.close()

    assert said == ["apprise does not know notify URL 1"]
