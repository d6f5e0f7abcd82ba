"""Signals at random moments: after the documented recovery all bytes are those of a quiet run.

`python tests/faults/campaign.py --kills 100 --seed 1 [TARGET ...]` prints a line for each kill, and
how many were equal by signal and by what was killed. That is, in turn: one running job; Snakemake
alone, whose jobs live on; Snakemake with its jobs. Each gets each signal in turn: kill -9, a batch
system's TERM, Ctrl-C, and the end of a terminal. The recovery is what docs/run.md says: `snakemake
--unlock` if Snakemake was killed, then the same command, at once, beside the jobs that live on.
"""

import argparse
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from making import spelled_out
from processes import processes, wait_for
from project import Project

KINDS = ("a job", "snakemake", "snakemake and its jobs")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SLICES = "results/slices/"


def make_project(folder: Path) -> Project:
    """A project with a panel of each kind, in slices of about a second, and small audits."""
    project = Project(folder)
    path = folder / "config.yaml"
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {name: values["panels"][name] for name in ("fig3a", "fig4b")}
    values["panels"]["fig3a"] |= {"sweep": {"n": [100, 150]}, "trials": 50_000}
    values["panels"]["fig4b"] |= {"trials": 100_000}
    values["figures"] = {"both": {"title": "Both", "panels": ["fig3a", "fig4b"]}}
    whole["lemmas"]["sizes"] = {
        "regression": [100],
        "self_attention": [{"n": 200, "d": 22}],
        "cross_attention": [{"n": 200, "d": 21}],
    }
    whole["open_choices"]["phase"] = {}
    whole["jobs"]["slices"] = 2
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return project


class Campaign:
    """Kills in one project; `targets` is what snakemake is asked for, all if empty."""

    def __init__(self, folder: Path, seed: int, targets: tuple[str, ...] = ()):
        self.folder, self.targets = folder.resolve(), targets
        self.random = random.Random(seed)
        self.project = make_project(self.folder)
        start = time.monotonic()
        self.project.make(*targets)
        self.seconds = time.monotonic() - start
        self.expected = self.project.files()

    def run(self, kills: int, say: Callable[[str], None] = print) -> int:
        """Kill so many times; returns after how many the bytes were those of the quiet run."""
        say(f"a quiet run took {self.seconds:.1f} s and made {len(self.expected)} files")
        kinds = itertools.cycle(itertools.product(SIGNALS, KINDS))
        kills_of_kind: Counter[str] = Counter()
        equal_of_kind: Counter[str] = Counter()
        for number, (sent, kind) in enumerate(itertools.islice(kinds, kills), start=1):
            wrong, told = self.one(kind, sent)
            name = f"{sent.name} to {kind}"
            kills_of_kind[name] += 1
            equal_of_kind[name] += not wrong
            say(f"{number}: {told}: {f'DIFFERENT: {wrong}' if wrong else 'equal'}")
        for name, count in kills_of_kind.items():
            say(f"{name}: {equal_of_kind[name]} of {count} equal")
        say(f"{kills} kills, {equal_of_kind.total()} equal")
        return equal_of_kind.total()

    def one(self, kind: str, sent: signal.Signals) -> tuple[list[str], str]:
        """One kill and the recovery; the paths that are not as they should be, and what was done.

        A moment at which the run has ended, or has no job to kill, is drawn again.
        """
        while True:
            for made in ("results", ".snakemake"):
                shutil.rmtree(self.folder / made, ignore_errors=True)
            moment = self.random.uniform(0, self.seconds)
            killed = self._killed(kind, sent, moment)
            if killed:
                break
        told = [f"{killed} got {sent.name} at {moment:.1f} s"]
        orphans = processes(self.folder, "attention_separation")
        if kind != KINDS[0]:
            self.project.make("--unlock")
            told.append(f"unlocked with {len(orphans)} jobs alive")
        output = self.project.make(*self.targets)
        jobs = re.findall(r"^\d+ of \d+: ", output, re.M)
        told.append(f"{len(jobs)} jobs made it whole")
        wait_for(lambda: not processes(self.folder), "the end of the orphans", 1800)
        found = self.project.files()
        # Jobs that outlived their run may write after the next one has merged and removed these.
        left = [path for path in found if path.startswith(SLICES)]
        if left:
            told.append(f"{len(left)} files left in {SLICES}")
            found = {path: data for path, data in found.items() if path not in left}
        paths = sorted(found.keys() | self.expected.keys())
        wrong = [path for path in paths if found.get(path) != self.expected.get(path)]
        return wrong, ", ".join(told)

    def _killed(self, kind: str, sent: signal.Signals, moment: float) -> str | None:
        """Start snakemake and send a signal after so many seconds; what got it, None if nothing."""
        process = subprocess.Popen(
            self.project.command(*self.targets),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            with suppress(subprocess.TimeoutExpired):
                start = time.monotonic()
                assert process.wait(moment) == 0
                self.seconds = time.monotonic() - start  # the machine is faster than it was
                return None
            if kind == KINDS[0]:
                jobs = processes(self.folder, "attention_separation")
                if not jobs:
                    return None
                return self._killed_job(self.random.choice(sorted(jobs)), sent, process)
            if kind == KINDS[1]:
                process.send_signal(sent)
            else:
                os.killpg(process.pid, sent)
            return kind
        finally:
            if kind == KINDS[0] and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            self._end(process)

    def _end(self, process: subprocess.Popen) -> None:
        """Wait for a Snakemake that got a signal; one that does not end once its jobs have is
        killed, as docs/run.md says."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
            return
        wait_for(lambda: not processes(self.folder, "attention_separation"), "jobs", 600)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
            return
        process.kill()
        process.wait(60)

    def _killed_job(self, pid: int, sent: signal.Signals, process: subprocess.Popen) -> str | None:
        """Send a signal to a job; snakemake goes on with the others and must fail in the end."""
        try:
            words = psutil.Process(pid).cmdline()
            os.kill(pid, sent)
        except (psutil.Error, OSError):
            return None
        # A job that had ended its work is no kill: then everything has been made.
        return f"job {words[4]}" if process.wait(1800) else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("targets", nargs="*", help="of snakemake; all if none is given")
    arguments = parser.parse_args()
    # A shell lets what it starts behind ignore Ctrl-C, and so all that is started from there.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), arguments.seed, tuple(arguments.targets))
        equal = campaign.run(arguments.kills, lambda text: print(text, flush=True))
    return int(equal != arguments.kills)


if __name__ == "__main__":
    sys.exit(main())
