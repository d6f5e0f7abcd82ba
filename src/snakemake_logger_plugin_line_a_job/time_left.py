"""How long the jobs of a run still take."""

from collections.abc import Mapping


class TimeLeft:
    """Foretells the end of a run from what its jobs are expected to take, and how fast they go.

    Work is counted in expected seconds, and goes on at the rate that it has had so far, that of all
    cores together. Where nothing is expected, one job is as long as another.

    Attributes
    ----------
    start : of the run, in seconds on some clock, as all times here
    expected : seconds of each job of the run, by its number
    begun : when each job that runs began
    taken : seconds that each job took that is done
    """

    def __init__(self, start: float):
        self.start = start
        self.expected: Mapping[int, float] = {}
        self.begun: dict[int, float] = {}
        self.taken: dict[int, float] = {}

    def begin(self, job: int, now: float) -> None:
        """A job begins."""
        self.begun[job] = now

    def finish(self, job: int, now: float) -> None:
        """A job has ended."""
        self.taken[job] = now - self.begun.pop(job, now)

    def seconds(self, now: float, job_count: int) -> float:
        """Seconds that are left of a run with so many jobs; NaN before anything is known."""
        work = sum(self.expected.values()) if self.expected else float(job_count)
        done = self._work_done(now)
        if done <= 0:
            return float("nan")
        return max(work - done, 0.0) * (now - self.start) / done

    def _work_done(self, now: float) -> float:
        """Expected seconds of what is done: of jobs that run, by how slow others were."""
        finished = sum(map(self._expected_of, self.taken))
        slowness = 1.0
        if finished > 0:
            slowness = sum(self.taken.values()) / finished
        running = 0.0
        for job, begin in self.begun.items():
            running += min((now - begin) / max(slowness, 1e-9), self._expected_of(job))
        return finished + running

    def _expected_of(self, job: int) -> float:
        return self.expected.get(job, 0.0) if self.expected else 1.0
