"""What Snakemake says, a line a finished job: `snakemake --logger line-a-job`.

Snakemake finds it where it is installed; profiles/default then chooses it. Errors and warnings are
those of Snakemake, whole. In a terminal a last line, which is written over, says how far the jobs
are that run: it has the ends of their logs.
"""

import logging
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from .time_left import TimeLeft

ERASE = "\r\x1b[K"
"""For a terminal: go to the line's begin, and empty it."""

ROUTINE = {
    LogEvent.WORKFLOW_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.GROUP_INFO,
}
"""Events that need no line."""

MOST_OF_A_LOG = 500
"""Bytes of its end in which the last line is sought."""


class LogHandler(LogHandlerBase):
    """Writes a line a finished job: its number of how many, its name, and how long the rest takes.

    A workflow may say what its jobs are expected to take, by a record with `expected_seconds`, a
    dictionary by the number of the job; and that it makes nothing, by `makes_nothing`.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.is_terminal = self.stream.isatty()
        self.held: list[str] = []
        self.is_running = False
        self.makes_nothing = False
        self.count = ""
        self.names: dict[int, str] = {}
        self.logs: dict[int, list[str]] = {}
        self.finished: list[str] = []
        self.time_left = TimeLeft(time.monotonic())
        self.end = threading.Event()
        self.writing = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a record of Snakemake's, and write what there is to say of it."""
        settings = self.common_settings
        if settings.dryrun or settings.verbose or settings.debug_dag:
            self.write(self.format(record))
        else:
            self._take(record, getattr(record, "event", None))

    def _take(self, record: Any, event: LogEvent | None) -> None:
        if event == LogEvent.RUN_INFO:
            self._begin()
        elif event == LogEvent.JOB_INFO:
            values = map(str, record.wildcards.values())
            self.names[record.jobid] = " ".join([record.rule_name, *values])
            self.logs[record.jobid] = record.log
            self.time_left.begin(record.jobid, time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            self.finished.append(self.names.get(record.job_id, f"job {record.job_id}"))
            self.logs.pop(record.job_id, None)
            self.time_left.finish(record.job_id, time.monotonic())
        elif event == LogEvent.PROGRESS:
            self._say_finished(record.done, record.total)
        elif event is not None and event in ROUTINE:
            pass
        elif hasattr(record, "expected_seconds"):
            self.time_left.expected = record.expected_seconds
            self.makes_nothing = record.makes_nothing
        elif event is not None or record.levelno > logging.INFO:
            if event == LogEvent.JOB_ERROR:
                self.logs.pop(record.jobid, None)
                self.time_left.begun.pop(record.jobid, None)
            self.write(self.format(record))
        else:
            self._say_in_passing(self.format(record))

    def _begin(self) -> None:
        self.held.clear()
        self.is_running = True
        self.time_left.start = time.monotonic()
        if self.is_terminal:
            threading.Thread(target=self._show_progress, daemon=True).start()

    def _say_finished(self, done: int, total: int) -> None:
        self.count = f"{done} of {total}"
        if not self.makes_nothing:
            now = time.monotonic()
            seconds = now - self.time_left.start
            left = self.time_left.seconds(now, total)
            names = ", ".join(self.finished)
            self.write(f"{self.count}: {names}; {seconds:.0f} s, about {left:.0f} s left")
        self.finished.clear()

    def _say_in_passing(self, text: str) -> None:
        """A text that announces a step ends with dots: neither it is news, nor what is said before
        it of the preparations. What is no preparation has no step after it."""
        is_step = text.endswith("...")
        if self.is_running:
            if not is_step:
                self.write(text)
        elif is_step:
            self.held.clear()
        else:
            self.held.append(text)

    def write(self, text: str) -> None:
        """Write a text and end its line; an empty text, as that of events for others, is none."""
        if text and text != "None":
            self._put(f"{text}\n")

    def _put(self, text: str) -> None:
        """In the place of the line that is written over, where there is one."""
        erase = ERASE if self.is_terminal and self.is_running else ""
        with self.writing:
            self.stream.write(f"{erase}{text}")
            self.stream.flush()

    def _show_progress(self) -> None:
        """Once a second, until the end."""
        while not self.end.wait(1.0):
            self.write_over()

    def write_over(self) -> None:
        """Write the line that is written over: how far the running jobs are, as their logs end."""
        lines = [last_line(path) for paths in self.logs.copy().values() for path in paths]
        text = "; ".join(filter(None, [self.count, *lines]))
        width = shutil.get_terminal_size().columns - 1
        self._put(text[:width])

    def close(self) -> None:
        """Write what has been held back, for no job ran."""
        self.end.set()
        for text in self.held:
            self.write(text)
        self.held.clear()
        if self.is_terminal and self.is_running:
            self._put("")
        super().close()


def last_line(path: str) -> str:
    """The last line of a log that has been written whole; empty where there is none yet."""
    try:
        content = Path(path).read_bytes()[-MOST_OF_A_LOG:]
    except OSError:
        return ""
    lines = content.decode(errors="replace").splitlines()
    return lines[-1] if lines else ""
