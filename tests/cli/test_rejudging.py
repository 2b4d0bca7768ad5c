"""Judging again and again ends with Ctrl-C, wherever it arrives."""

import contextlib
import os
import signal

from runvitals.cli.watching import rejudge


def test_an_interrupt_that_is_lost_while_judging_ends_it_all_the_same(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("step,loss\n1,2\n")
    judged = []

    def judge():
        judged.append(1)
        with contextlib.suppress(KeyboardInterrupt):  # as an import or a finaliser may do
            os.kill(os.getpid(), signal.SIGINT)
            signal.sigtimedwait([], 5)
        return 1

    code = rejudge([log], judge, every=0.0)

    assert code == 1
    assert judged == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
