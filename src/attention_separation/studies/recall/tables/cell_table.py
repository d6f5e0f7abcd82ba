"""All that is computed and simulated of one layer, as a table: lines against n and against age,
dots of the literal layer on them, and the largest n.

n pairs of a key and a value pass, then one key comes again as a query. A *line* has the accuracies
of a layer by its law, or simulated where it has none; a *dot* is one of the literal layer, on all
keys. The *age* of a pair is how many pairs have passed since; None is the mean over all ages.
Of a delta rule the latest and the oldest pair stand once more *given keys*: in trials that draw
keys alone, and sum over the signs of values.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ....attention.kernel_names import kernel_named
from ....recall.asking import Question, about_dimension, reach_of
from ....recall.exact.answer import Recall
from ....recall.exact.reach import simulated_reach
from ....recall.layers import Delta, Layer, LeastSquares, Scores
from ....recall.simulation.black_box import Pairs, simulated, simulated_by_age
from ....recall.simulation.literal_layers import has_unit_keys, literal_layer
from ....recall.simulation.reduced_delta import DeltaTrials, FewWeightsError
from ....results.provenance import record
from ....results.tables import Row, finite_or_null, schema, table_from_rows, write_parquet
from ..settings.section import LayerJob
from .state import state_of

LINE = "line"
DOT = "dot"
VARIED = "varied"
GIVEN_KEYS = "given keys"
CAPACITY = "capacity"
"""What a row is of."""

LINES_SCHEMA = schema(
    part=str,
    layer=str,
    d=int,
    n=int,
    age=int,
    cosine=float,
    rewrites=int,
    accuracy=float,
    error=float,
    method=str,
)
LARGEST_SCHEMA = schema(
    level=float,
    largest_n=float,
    low=float,
    high=float,
    state=float,
    kept=str,
)
SCHEMA = pa.unify_schemas([LINES_SCHEMA, LARGEST_SCHEMA])
"""`age` is null for the mean over ages. `varied` are points with noisy queries, of a cosine below
1, or with keys that were written before. Of capacities `largest_n` is null where it was not found,
and lies from `low`, to `high`, null for no end."""

HALF_OF_95 = 1.96
"""Standard deviations of a mean, of half its interval of 95 %."""

ERROR_IS = "the error is half of 95 %"

LARGEST_CELL_N = 10**9
"""Of lines."""

FEWEST_SIMULATED = 8
"""Draws of a dot, at least, whatever the job's numbers are; FEWEST_LITERAL where they allow it."""

FEWEST_LITERAL = 30
"""Draws of a point of a line that is simulated literally, at least."""

FEWEST_CELL_DRAWS = 150
MOST_CELL_DRAWS = 1500
"""Draws of a dot: as many, over n, at most, and at least as few where the numbers allow them."""

DOTS_BETWEEN = (0.53, 0.995)
"""Accuracies of the line between which dots stand."""


def layer_of(job: LayerJob) -> Layer:
    """The layer that a job's setting describes: least squares, a delta rule, or a kernel's."""
    setting = job.layer
    if setting.least_squares:
        return LeastSquares()
    if setting.beta is not None:
        return Delta(setting.beta, setting.decay)
    assert setting.kernel is not None
    window = math.inf if setting.window is None else setting.window
    return Scores(kernel_named(setting.kernel), setting.decay, window)


class Cell:
    """A layer at one dimension."""

    def __init__(self, job: LayerJob, d: int):
        self.job = job
        self.d = d
        self.layer = layer_of(job)
        self.known: dict[tuple[int, int | None], Recall] = {}

    @property
    def is_exact(self) -> bool:
        """Whether accuracies are computed."""
        return isinstance(self.layer, Scores) and self.layer.kernel.kind == "score"

    @property
    def is_literal(self) -> bool:
        """Whether its line is simulated by its definition."""
        return not self.is_exact and not isinstance(self.layer, Delta)

    @property
    def most_n(self) -> int:
        """The largest n of a line; of one that is simulated literally as many as a dot may draw."""
        if self.is_exact:
            if isinstance(self.layer, Scores) and self.layer.decay < 1:
                return 64 * self.d
            return LARGEST_CELL_N
        if isinstance(self.layer, Delta):
            return 16 * self.d
        return self.job.numbers // (FEWEST_LITERAL * self.d)

    def answer(self, n: int, age: int | None = None) -> Recall:
        """The accuracy of the layer's line at n and an age; each is found once."""
        if (n, age) not in self.known:
            self.known[n, age] = self._answer(n, age)
        return self.known[n, age]

    def _answer(self, n: int, age: int | None) -> Recall:
        """The accuracy of the layer's line at n and an age, computed or simulated anew."""
        if self.is_exact or isinstance(self.layer, Delta):
            return self.question(n, age, trials=self.job.trials).answer()
        if isinstance(self.layer, LeastSquares) and n <= self.d:
            return self.question(n, age).answer()
        return self.literal(n)

    def question(
        self,
        n: int,
        age: int | None = None,
        cosine: float = 1.0,
        rewrites: int = 0,
        trials: int | None = None,
    ) -> Question:
        """The question for the layer's accuracy: at n and an age, for queries of a cosine to their
        key, where all keys were written so many times before."""
        return Question(self.layer, n, self.d, age, cosine, rewrites, trials, self.job.seed)

    def literal(self, n: int) -> Recall:
        """The mean accuracy over ages at n, simulated by the literal layer."""
        pairs = self.pairs(n, None)
        draws = min(self.draws(n), max(FEWEST_CELL_DRAWS, MOST_CELL_DRAWS // n))
        return simulated(literal_layer(self.layer), pairs, draws, self.job.seed)

    def draws(self, n: int) -> int:
        """The number of draws of n keys: as many as the job's numbers allow, and some more where
        keys are many."""
        by_numbers = self.job.numbers // (n * self.d)
        at_most = self.job.most_numbers // (n * self.d)
        fewest = max(min(FEWEST_LITERAL, at_most), FEWEST_SIMULATED)
        return min(max(by_numbers, fewest), MOST_CELL_DRAWS)

    def pairs(self, n: int, ages: list[int] | None) -> Pairs:
        """The law of n random pairs and of queries of any age, or of these ages."""
        norm = 1.0 if has_unit_keys(self.layer) else math.sqrt(self.d)
        return Pairs(n, self.d, None if ages is None else tuple(ages), 1.0, 0, norm)

    def row(self, part: str, n: int, age: int | None, recall: Recall) -> Row:
        """A row of a line or a dot."""
        return {
            "part": part,
            "layer": self.job.name,
            "d": self.d,
            "n": n,
            "age": age,
            "cosine": 1.0,
            "rewrites": 0,
            "accuracy": recall.value,
            "error": recall.error,
            "method": recall.method,
        }

    def line(self) -> list[Row]:
        """The rows of the accuracy against n, to where it falls to the end of a line."""
        rows = []
        n = 0
        for step in range(int(self.job.per_octave * math.log2(self.most_n)) + 1):
            next_n = round(2 ** (step / self.job.per_octave))
            if next_n == n:
                continue
            n = next_n
            recall = self.answer(n)
            rows.append(self.row(LINE, n, None, recall))
            if recall.value < self.job.ends_at:
                break
        return rows

    def dots(self, line: list[Row]) -> Iterator[Row]:
        """The rows of the literal layer at some n of a line, evenly spread, where it can be drawn;
        none on a line that is the literal layer's."""
        if self.is_literal:
            return
        low, high = DOTS_BETWEEN
        most = self.job.most_numbers // (FEWEST_SIMULATED * self.d)
        candidates = [row["n"] for row in line if low < row["accuracy"] < high and row["n"] <= most]
        for n in spread(candidates, self.job.dots):
            yield self.row(DOT, n, None, self.literal(n))

    @property
    def n_of_ages(self) -> int:
        """The n at which the accuracy is taken against age."""
        return max(round(self.job.ages_at * self.d), 2)

    def by_age(self) -> Iterator[Row]:
        """The rows of the accuracy against age at one n, and of dots on it; none where the order of
        pairs does not matter to the layer."""
        n = self.n_of_ages
        places = [round((n - 1) * (k / (self.job.ages - 1)) ** 2) for k in range(self.job.ages)]
        ages = sorted(set(places))
        if self.is_literal:
            return
        for age in ages:
            yield self.row(LINE, n, age, self.answer(n, age))
        some = spread(ages, self.job.dots)
        if some:
            layer = literal_layer(self.layer)
            pairs = self.pairs(n, some)
            recalls = simulated_by_age(layer, pairs, self.draws(n), self.job.seed)
            for age, recall in zip(some, recalls, strict=True):
                yield self.row(DOT, n, age, recall)

    def given_keys(self) -> Iterator[Row]:
        """The rows of the latest and the oldest pair of a delta rule, from draws of keys alone;
        none where so few keys matter that signs have to be drawn."""
        if not isinstance(self.layer, Delta):
            return
        n = self.n_of_ages
        for age in (0, n - 1):
            law = DeltaTrials(self.layer.beta, self.layer.decay, self.d, n, age)
            try:
                probabilities = law.given_keys(self.job.trials, self.job.seed)
            except FewWeightsError:
                continue
            error = HALF_OF_95 * probabilities.std() / math.sqrt(self.job.trials)
            method = f"simulated: the reduced law given keys, {self.job.trials:,} trials"
            answer = Recall(float(probabilities.mean()), float(error), f"{method}; {ERROR_IS}")
            yield self.row(GIVEN_KEYS, n, age, answer)

    def varied(self) -> Iterator[Row]:
        """The rows at one n with noisy queries, then with keys that were written before."""
        n = max(round(self.job.varied_at * self.d), 2)
        for cosine in self.job.cosines:
            recall = self.varied_answer(n, cosine, rewrites=0)
            yield self.row(VARIED, n, None, recall) | {"cosine": cosine}
        for rewrites in self.job.rewrites:
            recall = self.varied_answer(n, cosine=1.0, rewrites=rewrites)
            yield self.row(VARIED, n, None, recall) | {"rewrites": rewrites}

    def varied_answer(self, n: int, cosine: float, rewrites: int) -> Recall:
        """The mean accuracy at n for queries of a cosine, where all keys were written so many times
        before: from as many trials as a line's point has, or draws as a dot."""
        by_trials = isinstance(self.layer, Delta) and rewrites == 0
        trials = self.job.trials if by_trials else self.draws(n * (rewrites + 1))
        return self.question(n, cosine=cosine, rewrites=rewrites, trials=trials).answer()

    def capacity(self) -> Row:
        """The row of the largest n with an accuracy of at least the job's level, and of the numbers
        that the layer keeps there."""
        job = self.job
        if self.is_exact:
            reach = reach_of(self.question(1, trials=job.trials), self.answer, job.level)
            largest = low = high = reach.last
        else:
            about_d = about_dimension(self.d)
            reach = simulated_reach(self.answer, job.level, 1, self.most_n, about_d)
            low = reach.low
            high = reach.high
            is_found = reach.last is not None and math.isfinite(reach.last)
            largest = reach.last if is_found else None
        state = state_of(self.layer, self.d, largest or low or 1)
        return {
            "part": CAPACITY,
            "layer": job.name,
            "d": self.d,
            "level": job.level,
            "largest_n": largest,
            "low": low,
            "high": high,
            "state": finite_or_null(state.numbers),
            "kept": state.kept,
            "method": self.answer(2).method,
        }


def spread(values: list[int], count: int) -> list[int]:
    """At most `count` of some values, evenly spread from the first to the last."""
    if len(values) <= count:
        return values
    if count < 2:
        return values[:count]
    return [values[round(k * (len(values) - 1) / (count - 1))] for k in range(count)]


def cell_table(job: LayerJob) -> pa.Table:
    """The table of a layer: its lines, dots, varied points and capacity at each dimension."""
    rows: list[Row] = []
    for d in job.dimensions:
        cell = Cell(job, d)
        line = cell.line()
        rows += line
        rows += cell.dots(line)
        rows += cell.by_age()
        rows += cell.given_keys()
        rows += cell.varied()
        rows.append(cell.capacity())
    return table_from_rows(rows, SCHEMA)


def run(job: LayerJob, output: Path) -> None:
    write_parquet(cell_table(job), output, record(job.canonical(), __name__))
