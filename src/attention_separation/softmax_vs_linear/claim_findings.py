"""What the audit of the paper's claims says, in sentences: every number is read from its table."""

import re
from collections import Counter

import pyarrow as pa

from attention_separation.softmax_vs_linear.claims.origins import SOURCES, SUBJECTS

HOLDS, HERE, LATER, FAILS, UNJUDGED = "holds", "here", "later", "fails", "not judged"

SUBJECT = re.compile("|".join(f"^{re.escape(subject)} " for subject in SUBJECTS.values()))


def kind_of(verdict: str) -> str:
    """What a verdict on a claim comes down to, whatever it is on.

    HOLDS at all of the paper's sizes (with a measured constant, if it has one); HERE so at the
    experiments' parameters and not in all of the dataset's range; LATER only at some sizes or from
    a larger n on; FAILS at every or every large one that was tested; UNJUDGED.

    Raises
    ------
    ValueError
        If the verdict is of no known kind.
    """
    text = SUBJECT.sub("", verdict)
    if text.startswith(("holds at the paper's sizes", "holds with ")):
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
    r"A\.1|C\.\d|\d\.\d(\.P\d)?|[DEF]\.\d+(\.P\d[ab]?(\.own|\.one|\.rest)?)?"
    r"|E\.D\d-[a-z]+\.(sign\.P\d|zero)"
)
"""Ids of the paper's own parts, and of those that it leaves out as similar: others are readings,
steps of proofs and values of them."""

ZERO_THEOREMS = ("D.9", "D.13", "D.17")


def claim_findings(claims: pa.Table) -> list[str]:
    """How the claims that can fail fare by source, a printed rate, and when networks are zero."""
    first: dict[str, dict] = {}
    for row in claims.to_pylist():
        first.setdefault(row["id"], row)
    parts = [row for name, row in first.items() if PART.fullmatch(name)]
    sure = [row for row in parts if row["identity"]]
    parts = [row for row in parts if not row["identity"]]
    by_source = []
    for source in SOURCES:
        kinds = Counter(kind_of(row["verdict"]) for row in parts if row["source"] == source)
        counts = [
            f"{kinds[kind]} {_verb(text, kinds[kind])}"
            for kind, text in KINDS.items()
            if kinds[kind] or kind == HOLDS
        ]
        if kinds:
            of = "parts that are " if not by_source else ""
            by_source.append(f"of {kinds.total()} {of}{source}, {', '.join(counts)}")
    held = sum(row["holds"] for row in sure)
    listed = "; ".join(by_source)
    text = (
        f"**The paper's claims,** at the experiments' sizes and parameters. {listed[:1].upper()}"
        f"{listed[1:]}. A guessed bound that fails may be a wrong guess, one that holds need not "
        f"be the paper's. {held} of {len(sure)} more are true by the definitions and are not "
        f"counted."
    )
    return [text + _printed_rate(first), *_zero_networks(claims, first)]


KINDS = {
    HOLDS: "holds",
    HERE: "holds there but not in all of the dataset's range",
    LATER: "holds only at some sizes or from a larger n on",
    FAILS: "fails",
}
"""What is said of one claim of each kind."""


def _verb(text: str, count: int) -> str:
    """The same of so many claims."""
    verb, *rest = text.split(" ", 1)
    return " ".join([verb if count == 1 else verb.removesuffix("s"), *rest])


def _printed_rate(first: dict[str, dict]) -> str:
    """Lemma 4.2, Part 1: the rate as printed, and as the proof would have it."""
    if not {"4.2.P1", "4.2.P1.sqrt"} <= first.keys():
        return ""
    printed, read = first["4.2.P1"], first["4.2.P1.sqrt"]
    return (
        f" The rate that Lemma 4.2, Part 1 prints {printed['verdict']}; with √n for n it "
        f"{read['verdict']}."
    )


def _zero_networks(claims: pa.Table, first: dict[str, dict]) -> list[str]:
    """Theorems D.9, D.13, D.17, each that a network is zero with high probability."""
    zero = [first[name] for name in ZERO_THEOREMS if name in first]
    starts = [row["from_n_d_sqrt"] for row in zero]
    if not zero or None in starts:
        return []
    at_paper = [row for row in claims.to_pylist() if row["id"] in ZERO_THEOREMS]
    held = sum(row["holds"] for row in at_paper)
    text = (
        f"**With high probability, from when on?** That a network is zero with probability at "
        f"least 1 - δ/n (Theorems D.9, D.13, D.17) holds at {held} of the {len(at_paper)} cases at "
        f"the experiments' sizes; with d - 2 = ⌈√n⌉ from n = {max(starts):,} on, as far as tested"
    )
    if all(row["from_n_d_fixed"] is None for row in zero):
        text += (
            f"; with d fixed at {zero[0]['d']}, where the theorems ask that it grows, at no n "
            "tested, up to 10⁹"
        )
    return [f"{text}."]
