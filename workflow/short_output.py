"""What Snakemake says, a line a job: `snakemake ... 2>&1 | python workflow/short_output.py`.

A finished job's line has how many there are, and about how long the rest takes. In a terminal the
progress of running jobs stands below it, in one line that is written over; elsewhere it is in the
jobs' logs alone. All else, errors among it, passes as it is.
"""

import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator

HEAD = re.compile(
    r"Using |Assuming |Building DAG|Provided |Rules claiming|Conda env|Select jobs|Execute \d+ jobs"
)
TIME = re.compile(r"\[\w{3} \w{3} .*\d{4}\]$")
FINISHED = re.compile(r"Finished jobid: \d+ \(Rule: (.+)\)$")
STEPS = re.compile(r"(\d+) of (\d+) steps \(\d+%\) done$")
PROGRESS = re.compile(r"[\w-]+: \d+ of \d+ .*, about [\d,]+ s left$")
OVER = "\r\x1b[K"
"""For a terminal: go to the line's begin, and empty it."""


def shortened(lines: Iterable[str], is_terminal: bool) -> Iterator[str]:
    """The texts to write for the lines that Snakemake and its jobs write, each as it comes."""
    start = time.monotonic()
    erase = OVER if is_terminal else ""
    is_table = False
    is_last_empty = True
    rule = ""
    for written in lines:
        line = written.rstrip("\n")
        finished = FINISHED.match(line)
        steps = STEPS.match(line)
        if is_table or line == "Job stats:":
            is_table = line != ""
        elif finished:
            rule = finished[1]
        elif steps:
            done = int(steps[1])
            count = int(steps[2])
            seconds = time.monotonic() - start
            left = seconds * (count - done) / done
            yield f"{erase}{done} of {count}: {rule}; {seconds:.0f} s, about {left:.0f} s left\n"
            is_last_empty = False
        elif PROGRESS.match(line):
            if is_terminal:
                yield f"{OVER}{line}"
        elif not (HEAD.match(line) or TIME.match(line) or (line == "" and is_last_empty)):
            yield f"{erase}{line}\n"
            is_last_empty = line == ""


if __name__ == "__main__":
    # Ctrl-C is Snakemake's: what it says of that is shown.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for text in shortened(sys.stdin, sys.stdout.isatty()):
        sys.stdout.write(text)
        sys.stdout.flush()
