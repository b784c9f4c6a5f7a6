"""Runs a command at a terminal and prints what it wrote there, a line for each time that a line was begun.

usage: on_terminal.py COMMAND [ARGUMENTS]
"""
import os
import pty
import sys

PARTS = []


def read(terminal):
    PARTS.append(os.read(terminal, 4096))
    return b" "  # Without anything the copying would end.


out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
status = pty.spawn(sys.argv[1:], read, lambda _: b"")
text = b"".join(PARTS).decode().replace("\x1b[K", "").replace("\r", "\n")
os.write(out, "\n".join(line for line in text.split("\n") if line).encode() + b"\n")
sys.exit(os.waitstatus_to_exitcode(status))
