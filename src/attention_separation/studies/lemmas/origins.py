"""Where each claim stands, and where it and its bound come from: what the surviving texts of the
paper still say.

One text of the paper has its formulas but ends before the self-attention lemmas, the other has all
lemmas and proofs without a formula. So their values can be computed from the printed dataset, but
most of their bounds are guesses, each with its reason here.

A claim's *id* is the number of its lemma and, behind dots, parts of it: "D.4.P1", "D.5.m".
"""

import re
from enum import StrEnum
from typing import NamedTuple


class Source(StrEnum):
    """Where a claim comes from, as tables have it."""

    GIVEN = "given"
    FORCED = "forced by the definitions"
    READ = "value forced, bound read from the text"
    GUESSED = "value forced, bound guessed"
    OMITTED = "left out by the paper, value forced"
    RECONSTRUCTED = "reconstructed"


SUBJECTS = {
    Source.GUESSED: "the guessed bound",
    Source.OMITTED: "what the paper leaves out",
    Source.RECONSTRUCTED: "the reconstructed claim",
}
"""What a verdict is on where it is not on the paper's own words."""


class Origin(NamedTuple):
    """A source, and where the bound is from in a few words."""

    source: Source
    bound_from: str


RATE = "δ/poly(n) is read as δ/n"
EQUALITY = Origin(
    Source.FORCED,
    "both sides follow from the definition of the dataset, those of c with V = I* and A₃ = A₂*",
)

_SIMPLE = "a simple form that its value suggests"
_TIMES = "the guessed bounds on f in the lemma before, times the entries of the column"
_SUM = "the proof's sum of t entries, with f ≤ 1/n guessed"
_SLACK = "what τ leaves above the large coordinates"
_CHANCE = "its constant is that of the guessed chance of 1/10 per column"

ORIGINS_BY_PATTERN = (
    (r"3\.1", Source.GIVEN, "printed, and a theorem of textbooks"),
    (
        r"4\.2\.P1\.sqrt",
        Source.GIVEN,
        "the rate that Hoeffding's bound gives with the printed entries",
    ),
    (r"4\.[12]\.(P1|P2)\..*|4\.2\.P[23]", Source.GIVEN, "printed"),
    (
        r"4\.2\.P1",
        Source.GIVEN,
        f"the printed rate, against the C that the rate with √n needs; {RATE}",
    ),
    (r"4\.1\.P[12]", Source.GIVEN, f"the printed rate and the proof's entries; {RATE}"),
    (r"5\.2", Source.GIVEN, f"printed, a chance of 1/2 per column; {RATE}"),
    (r"5\.2\.m|6\.2\.printed", Source.GIVEN, f"printed; {RATE}"),
    (
        r"5\.[134]\.m(\.every)?",
        Source.GIVEN,
        f"printed, with τ* and the experiments' m put in; {RATE}",
    ),
    (r"5\..*", Source.GIVEN, f"printed, with τ* and the least m of Lemma 5.2 put in; {RATE}"),
    (r"6\.2(\.m)?", Source.GIVEN, f"printed; two misprinted networks mended; {RATE}"),
    (r"1\.1(\.m)?", Source.READ, f"printed in words, with the events of Theorem 6.2; {RATE}"),
    (r"1\.1\.identity(\.m)?", Source.OMITTED, "as Theorem 6.2, with X the identity"),
    (r"A\.1\.columns", Source.GIVEN, "printed, with vec read the other way; rounding"),
    (r"A\.1|C\.[35]", Source.GIVEN, "printed; rounding"),
    (r"D\.5", Source.READ, f"printed in Theorem 6.2; {_CHANCE}"),
    (r"D\.(5\.m|9|13|17)", Source.READ, f"printed in Theorem 6.2; {RATE}"),
    (r"D\.\d+\.assumption", Source.READ, "the same as d = ω(n^0.02), printed in Theorem 6.2"),
    (r"D\.2\.P3a", Source.GUESSED, "by analogy with Lemma 4.2, Part 2"),
    (r"[DE]\.\d\.P3a\.from-.*", Source.GUESSED, "the number in the condition of Part 3a is lost"),
    (r"E\.1\.P3a", Source.GUESSED, "by analogy with Lemma D.2"),
    (r"D\.2\.P4a", Source.GUESSED, "what Lemma D.3, Parts 4 and 5 seem to use"),
    (r"D\.2\.P4a\.loose", Source.GUESSED, "by analogy with Lemma D.6, Part 4"),
    (
        r"E\.1\.P3b|E\.1\.P4\.(own|rest)",
        Source.GUESSED,
        "by analogy with Lemma D.2, Parts 3b and 4b",
    ),
    (r"(D\.2|D\.6|D\.10|D\.14|E\.1)\.P[34].*", Source.GUESSED, _SIMPLE),
    (r"(D\.3|E\.2)\.(P2\.rest|P5)", Source.GUESSED, _SUM),
    (r"(D\.3|E\.2)\.P4", Source.GUESSED, "f ≤ 1/n, guessed in the lemma before, times the entry"),
    (r"(D\.3|D\.7|D\.11|D\.15|E\.2)\.P.*", Source.GUESSED, _TIMES),
    (
        r"(D\.4|E\.3)\.P1",
        Source.GUESSED,
        "three positive signs have chance 1/8, and a little is lost",
    ),
    (r"(D\.4|E\.3)\.P2.*", Source.GUESSED, "by analogy with Lemmas D.8, D.12 and D.16"),
    (
        r"D\.(8|12|16)\.P[12]",
        Source.GUESSED,
        "what the next theorem needs, with a guessed absolute value",
    ),
    (r"[DE]\.\d+\.hoeffding", Source.GUESSED, _SLACK),
    (r"E\.3\.assumption", Source.GUESSED, "by analogy with Lemma D.4"),
    (r"E\.4", Source.GUESSED, f"by analogy with Theorem D.5, τ included; {_CHANCE}"),
    (r"E\.4\.m", Source.GUESSED, f"by analogy with Theorem D.5, τ included; {RATE}"),
    (r"E\.D.*\.sign\..*", Source.OMITTED, "as the sign lemma with X all ones, τ included"),
    (r"E\.D.*\.zero", Source.OMITTED, "as the theorem with X all ones, τ included"),
    (r"F\..*\.assumption", Source.RECONSTRUCTED, "by analogy with Lemma D.4"),
    (r"F\..*\.hoeffding", Source.RECONSTRUCTED, _SLACK),
    (r"(F|1)\..*", Source.RECONSTRUCTED, "by analogy with section D, on the reconstructed dataset"),
)
"""(pattern of ids, source, where the bound is from); the first pattern that fits counts."""


def origin(claim: str, identity: bool = False) -> Origin:
    """The origin of a claim and of its bound, by the claim's id. LookupError for an unknown id.

    `identity` : whether it says that entries of u, f or c, the paper's steps of attention, equal
        something
    """
    is_of_matrices = claim.startswith(("A.", "C."))
    if identity and not is_of_matrices:
        return EQUALITY._replace(source=_source_of_equality(claim))
    for pattern, source, bound_from in ORIGINS_BY_PATTERN:
        if re.fullmatch(pattern, claim):
            return Origin(source, bound_from)
    raise LookupError(f"{claim}: no origin is known of a claim of this id")


def _source_of_equality(claim: str) -> Source:
    """The source of a claim that says an equality, by its id."""
    if claim.startswith("E.D"):
        return Source.OMITTED
    if claim.startswith("F."):
        return Source.RECONSTRUCTED
    return Source.FORCED


THEOREMS = ("D.5", "D.9", "D.13", "D.17", "E.4", "F.5", "F.9", "F.13", "F.17", "1.1", "1.2", "6.2")
KIND_OF_STATEMENT = dict.fromkeys(THEOREMS, "Theorem") | {
    "A.1": "Fact",
    "C.3": "Claim",
    "C.5": "Claim",
}
"""What is no lemma."""

SIMILAR_LEMMAS = {
    "E.D0-exp.weights": "D.6",
    "E.D0-exp.values": "D.7",
    "E.D0-exp.sign": "D.8",
    "E.D0-exp.zero": "D.9",
    "E.D1-lin.weights": "D.10",
    "E.D1-lin.values": "D.11",
    "E.D1-lin.sign": "D.12",
    "E.D1-lin.zero": "D.13",
    "E.D0-lin.weights": "D.14",
    "E.D0-lin.values": "D.15",
    "E.D0-lin.sign": "D.16",
    "E.D0-lin.zero": "D.17",
}
"""What section E leaves out, and what it is similar to."""

DETAILS = {
    "value": "its value",
    "one": "the one index",
    "rest": "the rest of the indices",
    "own": "the indices of its own class",
    "loose": "read with the looser bound",
    "from-0.7": "its condition, read as a₁ ≥ 0.7",
    "from-1": "its condition, read as a₁ ≥ 1",
    "at-0.7": "with the least a₁ of the dataset",
    "assumption": "its assumption on d",
    "hoeffding": "Hoeffding's step in its proof",
    "m": "with the experiments' m",
    "every": "what Hoeffding's bound proves",
    "identity": "with X the identity",
    "columns": "vec read as stacking columns",
    "printed": "as printed",
    "sqrt": "read with √n for n",
}
"""What the last parts of ids say."""

READINGS_BY_ID = {
    "1.1": "with X all ones",
    "1.1.m": "with X all ones",
    "6.2": "its misprints mended",
    "6.2.m": "its misprints mended",
    "C.5": "with the transpose of A₂ that α lacks in print",
    "4.2.P1": DETAILS["printed"],
}
"""How claims are read whose ids do not say it, by id."""

STEPS_OF_PROOFS = frozenset({"entries", "special", "others", "sum"})
"""Last parts of the ids of steps of proofs."""


def place(claim: str) -> str:
    """Where a claim stands, by its id, such as "Lemma D.4, Part 1"."""
    for left_out, similar in SIMILAR_LEMMAS.items():
        if claim.startswith(left_out):
            printed = _place_in_print(claim.replace(left_out, similar))
            return f"Left out of section E, with X the identity, as {printed}"
    return _place_in_print(claim)


def _place_in_print(claim: str) -> str:
    """Where a claim stands in the paper, by its id, in words: its lemma, its part, how it is read,
    and details."""
    # A dot before a digit is part of a number.
    number, *parts = re.split(r"\.(?=[A-Za-z])", claim)
    words = [f"{KIND_OF_STATEMENT.get(number, 'Lemma')} {number}"]
    is_step_of_proof = not STEPS_OF_PROOFS.isdisjoint(parts)
    kind_of_part = "proof of Part" if is_step_of_proof else "Part"
    for part in parts:
        if part.startswith("P"):
            words.append(f"{kind_of_part} {part.removeprefix('P')}")
    if claim in READINGS_BY_ID:
        words.append(READINGS_BY_ID[claim])
    for part in parts:
        if not part.startswith("P") and part not in STEPS_OF_PROOFS:
            words.append(DETAILS[part])
    return ", ".join(words)
