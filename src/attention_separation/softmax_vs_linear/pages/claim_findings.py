"""What the audit of the paper's claims says, in sentences: every number is read from its table."""

import re
from collections import Counter

import pyarrow as pa

from ..claims.origins import GIVEN, READ, SOURCES, SUBJECTS

HOLDS, HERE, LATER, FAILS, UNJUDGED = "holds", "here", "later", "fails", "not judged"

SUBJECT = re.compile("|".join(f"^{re.escape(subject)} " for subject in SUBJECTS.values()))
THRESHOLD = re.compile(r"^with τ = \S+: ")
"""What a verdict begins with where the paper leaves the threshold open."""


def kind_of(verdict: str) -> str:
    """What a verdict on a claim comes down to, whatever it is on.

    HOLDS at all sizes tested (with a measured constant, if it has one); HERE so at the
    experiments' parameters and not in all of the dataset's range; LATER only at some sizes or from
    a larger n on; FAILS at every or every large one that was tested; UNJUDGED.

    Raises
    ------
    ValueError
        If the verdict is of no known kind.
    """
    text = THRESHOLD.sub("", SUBJECT.sub("", verdict))
    if text.startswith(("holds at the sizes tested", "holds with ")):
        return HERE if text.endswith("of the dataset's range") else HOLDS
    for start, kind in (
        ("holds at", LATER),
        ("holds only from", LATER),
        ("refuted below", LATER),
        ("fails", FAILS),
        ("not judged", UNJUDGED),
    ):
        if text.startswith(start):
            return kind
    raise ValueError(f"{verdict!r} is no verdict on a claim")


PART = re.compile(
    r"A\.1|C\.\d|(?!3\.1)\d\.\d(\.P\d)?|[DEF]\.\d+(\.P\d[ab]?(\.own|\.one|\.rest)?)?"
    r"|E\.D\d-[a-z]+\.(sign\.P\d|zero)"
)
"""Ids of the paper's own parts, and of those that it leaves out as similar: others are readings,
steps of proofs and values of them. Lemma 3.1 is Hoeffding's, a theorem of textbooks."""

ZERO_THEOREMS = ("D.9", "D.13", "D.17")
POSITIVE = ("5.2", "D.5", "E.4", "F.5")
JOINT = ("1.1", "6.2", "1.2")
AT_EVERY_N = "fails at every n tested"
OWN = (GIVEN, READ)
"""Sources of what the paper itself says."""


def claim_findings(claims: pa.Table) -> list[str]:
    """How the claims that can fail fare by source, from when on events are with high probability,
    and what fails."""
    first: dict[str, dict] = {}
    for row in claims.to_pylist():
        first.setdefault(row["id"], row)
    return [_by_source(first), *_with_high_probability(claims, first), *_failures(first)]


def _by_source(first: dict[str, dict]) -> str:
    """How many of the paper's parts are of each kind, source by source."""
    parts = [row for name, row in first.items() if PART.fullmatch(name)]
    sure = [row for row in parts if row["identity"]]
    parts = [row for row in parts if not row["identity"]]
    counted = []
    for source in SOURCES:
        kinds = Counter(kind_of(row["verdict"]) for row in parts if row["source"] == source)
        if kinds:
            bound = source.removeprefix("value forced, ").removesuffix(", value forced")
            counted.append(f"{bound} {' / '.join(str(kinds[kind]) for kind in KINDS)}")
    held = sum(row["holds"] for row in sure)
    return (
        f"**The paper's claims,** as parts that {' / '.join(KINDS.values())}: "
        f"{'; '.join(counted)}. Parameters are the experiments', but where F_exp is to be positive "
        f"and in section 5 m = C log(n/δ), with the least C that works. A guessed bound that fails "
        f"may be a wrong guess, one that holds need not be the paper's. {held} of {len(sure)} "
        f"identities hold, and are not counted."
    )


KINDS = {
    HOLDS: "hold at the sizes tested",
    HERE: "hold there but not in all of the dataset's range",
    LATER: "hold only at some sizes or from a larger n on",
    FAILS: "fail",
}
"""What is said of claims of each kind."""


def _with_high_probability(claims: pa.Table, first: dict[str, dict]) -> list[str]:
    """Theorem 6.2, its four events together, and its three zero networks alone."""
    if not {"6.2", "D.5"} <= first.keys():
        return []
    whole, rows = first["6.2"], claims.to_pylist()
    sizes = [row for row in rows if row["id"] == "6.2"]
    constant = max(row["value"] for row in rows if row["id"] == "D.5")
    # The bound is delta / n.
    delta, good = whole["bound"] * whole["n"], sum(row["holds"] for row in sizes)
    text = (
        f"**With high probability** (δ/poly(n) is read as δ/n, δ = {delta:g}) the four events of "
        f"Theorem 6.2, X all ones, hold with about {constant:.4g} log(n/δ) columns "
        f"{_starts([whole])}, as far as tested; at {good or 'none'} of the {len(sizes)} sizes "
        f"tested"
    )
    if fixed := FIXED_FAILS.search(whole["paths"]):
        text += f"; at no n tested for d = {fixed[1]} (the theorem asks that d grows)"
    zero = [first[name] for name in ZERO_THEOREMS if name in first]
    if zero:
        names = ", ".join(row["id"] for row in zero)
        text += (
            f". With the experiments' m, the events that a network is zero ({names}) hold, each "
            f"alone, {_starts(zero)}"
        )
    return [f"{text}."]


FIXED_FAILS = re.compile(r"d fixed at (\d+)[^.]*, it fails at every n tested")
"""What the column `paths` says of a claim that holds nowhere with d fixed."""

GROWING = {"from_n_d_sqrt": "d - 2 = ⌈√n⌉", "from_n_d_quarter": "d - 2 = n/4"}


def _starts(rows: list[dict]) -> str:
    """From which n on all of these claims hold, where d grows."""
    parts = []
    for column, path in GROWING.items():
        starts = [row[column] for row in rows]
        start = "not up to the largest n" if None in starts else f"from n = {max(starts):,} on"
        parts.append(f"{start} for {path}")
    return " and ".join(parts)


def _failures(first: dict[str, dict]) -> list[str]:
    """What fails with the experiments' m, and the rate of Lemma 4.2, Part 1."""
    groups = [
        f"{text} ({names})"
        for text, ids in (("that F_exp is positive on D1", POSITIVE), ("the joint events", JOINT))
        if (names := _failing([first[f"{name}.m"] for name in ids if f"{name}.m" in first]))
    ]
    text = ""
    if groups:
        text += f" With the experiments' own m, {' and '.join(groups)} fail at every n tested."
    if {"4.2.P1", "4.2.P1.sqrt"} <= first.keys():
        printed, read = (first[name]["verdict"] for name in ("4.2.P1", "4.2.P1.sqrt"))
        text += (
            f" The rate that Lemma 4.2, Part 1 prints, in the translation that we have, {printed}; "
            f"with √n for n it {read}."
        )
    if "6.2.printed" in first and kind_of(first["6.2.printed"]["verdict"]) == FAILS:
        text += (
            " (Theorem 6.2 is counted with its misprints mended; as printed it contradicts itself.)"
        )
    return [f"**What fails.**{text}"] if text else []


def _failing(rows: list[dict]) -> str:
    """Those of the rows that fail at every n tested, by id, the paper's own first."""
    found = [row for row in rows if row["verdict"].endswith(AT_EVERY_N)]
    parts = []
    for mark, own in (("", True), ("guessed or reconstructed ", False)):
        ids = [row["id"].removesuffix(".m") for row in found if (row["source"] in OWN) == own]
        if ids:
            parts.append(f"{mark}{', '.join(ids)}")
    return "; ".join(parts)
