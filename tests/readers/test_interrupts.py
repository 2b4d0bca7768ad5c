"""Ctrl-C while a table is read: nobody but Python takes the signal."""

import subprocess
import sys

READS = """
import os, signal, threading, time
from runvitals.readers.tabular import _arrow

block = b"".join(b"%d,%d\\n" % (row, row) for row in range(80))
lost = 0
for attempt in range(150):
    sender = threading.Timer(attempt % 40 / 10_000, os.kill, (os.getpid(), signal.SIGINT))
    try:
        sender.start()
        while sender.is_alive():
            _arrow.read_block(block, ["number", "number"], ",", ".")
        time.sleep(0.05)
        lost += 1
    except KeyboardInterrupt:
        pass
    sender.join()
print(lost)
"""


def test_an_interrupt_that_arrives_while_a_table_is_read_is_never_lost():
    done = subprocess.run(
        [sys.executable, "-c", READS], capture_output=True, text=True, check=True, timeout=600
    )

    assert done.stdout == "0\n"
