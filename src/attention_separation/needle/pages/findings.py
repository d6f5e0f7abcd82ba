"""What the tables of this study say, in sentences: first what cannot be, then what is not so.

Each sentence is made of the tables; of kernels and mu that a table has not, nothing is said.
"""

import math
from collections.abc import Mapping

import pyarrow as pa

from attention_separation.pages.prose import joined
from attention_separation.results.tables import select_rows
from attention_separation.statistics.verdict_words import AGREES, DIFFERS, NOT_RUN, count_verdicts

from ..claims.outcomes import KINDS
from ..claims.runs import cell_words

SIGNAL = 5.0
"""mu at which n are quoted."""

LARGE, FAR = 512, 2048
"""n at which accuracies are quoted."""

Accuracies = Mapping[tuple[str, float, int], float]
"""Of the lines, by kernel, mu and n."""

POWERS = ("power_2", "power_3", "power_4")
DEGREES = {"none": 1, "linear": 2, "power_2": 3, "power_3": 4, "power_4": 5}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

NOT_SHOWN = (
    "**Not shown.** One layer, Gaussian noise, and the signal in one token. The lines of powers "
    "and of softmax are what one threshold on one ratio, or on the largest token, comes to: "
    "references, which a richer readout may pass, or softmax of a finite temperature where μ is "
    "small."
)
BY_HAND = 0.6
"""Linear attention divided by its row sums, with X = e_d (e_1 + e_d)^T: all queries are alike."""

BESIDE = " At g = 100 it is 0.137; softmax with X = I, read by e₁, has 1.17 at n = 2,000."
UNTRAINED = " Whether training reaches the lines is not shown here."
NOT_LEARNED = (
    " A trained network beneath its line has not learned it in these steps: that says nothing of "
    "what it could. Where the query is given, the output is read along the needle, wired by hand."
)


def first_findings(tables: Mapping[str, pa.Table]) -> list[str]:
    """What a reader with one minute should know, of the tables that there are."""
    at = _accuracies(tables.get("needle_lines"))
    found = []
    if "needle_critical" in tables:
        reach = reaches(tables["needle_critical"])
        found += _what_cannot_be(reach, at, tables.get("needle_bound_ends"))
    if "needle_claims" in tables:
        cells = tables.get("needle_cells")
        verdicts = {row["claim"]: row["verdict"] for row in tables["needle_claims"].to_pylist()}
        found += what_training_finds(cells, verdicts, at)
        not_so = _what_is_not_so(tables["needle_claims"])
        not_so += what_the_papers_network_does(cells, verdicts)
        found += [" ".join(not_so)] if not_so else []
    return found


def more_findings(tables: Mapping[str, pa.Table]) -> list[str]:
    """What else there is to say."""
    found = []
    if "needle_critical" in tables:
        found += _how_it_grows(reaches(tables["needle_critical"]))
    if "needle_lines" in tables:
        found += _softmax_against_bayes(tables["needle_lines"])
    if "needle_claims" in tables:
        found += claim_counts(tables["needle_claims"], tables.get("needle_cells"))
    return [*found, NOT_SHOWN + (NOT_LEARNED if "needle_cells" in tables else UNTRAINED)]


def reaches(critical: pa.Table) -> dict[tuple[str, float], float]:
    """The critical n by kernel and mu."""
    return {(row["kernel"], row["mu"]): row["n_critical"] for row in critical.to_pylist()}


def last_n(critical: float) -> str:
    """The largest whole n at which the accuracy is .75 or more, in words."""
    if math.isinf(critical):
        return "beyond 10¹⁵"
    return f"{math.floor(critical):,}" if critical < 1e9 else power_of_ten(critical)


def power_of_ten(number: float) -> str:
    """A large number to three digits, as 1.23·10⁹."""
    digits, power = f"{number:.2e}".split("e")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}"


def _what_cannot_be(
    reach: Mapping[tuple[str, float], float], at: Accuracies, ends: pa.Table | None
) -> list[str]:  # fmt: skip
    named = ("none", "linear", "exp", "bayes")
    if any((kernel, SIGNAL) not in reach for kernel in named):
        return []
    none, linear, exp, bayes = (last_n(reach[kernel, SIGNAL]) for kernel in named)
    text = (
        f"**What linear attention cannot do, however it is trained.** One token of n stands out of "
        f"the noise on all of them by μ = {SIGNAL:g} standard deviations. Take any number of heads "
        "whose queries do not see the tokens, with scores and values linear in them, and anything "
        "behind. With uniform weights they tell whether it is there with an accuracy of at least "
        f"0.75 up to n = {none}, and linear attention up to n = {linear}, divided by its row sums "
        "or not: no further, by a theorem. Softmax, by the largest token alone, does up to "
        f"n = {exp}, no detector at all beyond n = {bayes}."
    )
    if all((kernel, SIGNAL, LARGE) in at for kernel in named):
        of = {kernel: at[kernel, SIGNAL, LARGE] for kernel in named}
        text += (
            f" At n = {LARGE} the four come to {of['none']:.3f}, {of['linear']:.3f}, "
            f"{of['exp']:.3f} and {of['bayes']:.3f}, in this order."
        )
        if ends:
            beyond = select_rows(ends, n=LARGE)["accuracy"].to_pylist()
            text += f" The class matters: {len(beyond)} layers just outside it pass this at n = "
            text += f"{LARGE}, up to {max(beyond):.3f}."
    return [text]


def _how_it_grows(reach: Mapping[tuple[str, float], float]) -> list[str]:
    far = SIGNAL + 1
    kernels = [k for k in DEGREES if {(k, SIGNAL), (k, far)} <= reach.keys()]
    if not kernels:
        return []
    slopes = [
        math.log(reach[kernel, far] / reach[kernel, SIGNAL]) / math.log(far / SIGNAL)
        for kernel in kernels
    ]
    laws = joined([f"μ{str(2 * DEGREES[k]).translate(SUPERSCRIPTS)}" for k in kernels])
    measured = joined([f"{slope:.2f}" for slope in slopes])
    text = (
        "**The degree decides.** The critical n, where the accuracy is 0.75, grows about as "
        f"{laws} for {joined(kernels)} (between μ = {SIGNAL:g} and {far:g}, exponents of "
        f"{measured})"
    )
    if ("exp", SIGNAL) in reach:
        scaled = [n * math.exp(-mu * mu / 2) for (k, mu), n in reach.items() if k == "exp"]
        text += (
            f", and for softmax as e^(μ²/2): {min(scaled):.2f} to {max(scaled):.2f} times that at "
            "every μ computed"
        )
    if all((kernel, SIGNAL) in reach for kernel in POWERS):
        each = joined([last_n(reach[kernel, SIGNAL]) for kernel in POWERS])
        text += (
            f". Scores to the powers 2, 3 and 4, with the best threshold on one ratio, come to "
            f"n = {each} at μ = {SIGNAL:g}"
        )
    return [f"{text}."]


def _what_is_not_so(claims: pa.Table) -> list[str]:
    rows = select_rows(claims, claim="N10").to_pylist()
    if not rows or rows[0]["verdict"] != AGREES:
        return []
    margin = f"{rows[0]['value']:.5f}"
    return [
        "**What is not true, though often said: that linear attention must fail at large n.** "
        "Without noise, and with rows divided by their sums, X = e_d e_dᵀ + g e₁ e_kᵀ gives the "
        "first paper's linear network, read by y = e_k, a margin between D1 and D0 of "
        f"{margin} √log n at {rows[0]['decided_at'].partition(', n')[0]}, the same at every n "
        "computed, to 10⁻¹²: it does not shrink."
        + (BESIDE if margin == "0.00645" else "")
        + " y = e_k is no sign vector, but with this X half of the sign vectors keep a margin too; "
        "with random signs and X = I or all ones it falls as 1/n."
    ]


def _softmax_against_bayes(lines: pa.Table) -> list[str]:
    at = _accuracies(lines)
    gaps = {
        (mu, n): at["bayes", mu, n] - value for (kernel, mu, n), value in at.items()
        if kernel == "exp" and ("bayes", mu, n) in at
    }  # fmt: skip
    if not gaps:
        return []
    (mu, n), mus = max(gaps, key=gaps.__getitem__), sorted({mu for mu, _ in gaps})
    return [
        "**Softmax comes near the best possible:** the threshold on the largest token falls short "
        f"of the likelihood ratio by at most {gaps[mu, n]:.4f} in accuracy, at μ = {mu:g} and "
        f"n = {n:,}, over all n computed of μ = {joined([f'{each:g}' for each in mus])}"
        + ("; where μ is smaller, more: 0.0085 at μ = 2 and n = 64." if mus[0] > 2 else ".")
    ]


def what_training_finds(
    cells: pa.Table | None, verdicts: Mapping[str, str], at: Accuracies
) -> list[str]:  # fmt: skip
    """What trained networks with a given query come to, of claims that agree."""
    if cells is None or verdicts.get("N3") != AGREES:
        return []
    means = {
        kernel: mean_accuracy(cells, arm="asked", kernel=kernel, divided_by=divided)
        for kernel, divided in (("exp", "sum"), ("linear", "n"))
    }
    if None in means.values():
        return []
    text = (
        f"**Trained, softmax finds it and linear attention does not.** At μ = {SIGNAL:g} and "
        f"n = {LARGE}, with the needle's direction as the query, softmax has an accuracy of "
        f"{means['exp']:.3f} on sequences never seen, and linear attention, divided by n, of "
        f"{means['linear']:.3f}"
    )
    limits = [at.get((kernel, SIGNAL, LARGE)) for kernel in ("exp", "linear")]
    if None not in limits:
        text += f"; their lines are {limits[0]:.3f} and {limits[1]:.3f}"
    if verdicts.get("N1") == AGREES:
        text += ". No network trained here passed what is exact by more than 0.02"
    if verdicts.get("N2") == AGREES:
        text += ", and with the query given, wherever a line is 0.64 or more, training came within"
        text += " 0.03, up to this n"
    return [f"{text}.{_what_else_was_trained(cells, at)}"]


def _what_else_was_trained(cells: pa.Table, at: Accuracies) -> str:
    """What passes the bound outside its class, and what was not learned."""
    linear = mean_accuracy(cells, arm="fixed", kernel="linear", divided_by="n")
    elu = mean_accuracy(cells, arm="fixed", kernel="elu_plus_one", features=12)
    far = mean_accuracy(cells, arm="asked", kernel="linear", divided_by="n", n=FAR)
    text, limit = "", at.get(("linear", SIGNAL, FAR))
    if linear and elu:
        text += (
            " With a learned query classes tell tokens apart and the theorem does not apply: "
            f"linear attention comes to {linear:.3f}, elu + 1 with 12 features to {elu:.3f}."
        )
    if far and limit and far < limit - 0.03:
        text += f" At n = {FAR:,} linear attention was not learned: {far:.3f}, with a limit of "
        text += f"{limit:.3f}."
    return text


def what_the_papers_network_does(
    cells: pa.Table | None, verdicts: Mapping[str, str]
) -> list[str]:  # fmt: skip
    """What trained linear attention does where every token is a query, if the claim agrees."""
    if cells is None or verdicts.get("N9") != AGREES:
        return []
    none, linear, by_sums = (
        mean_accuracy(cells, arm="paper", kernel=kernel, divided_by=divided)
        for kernel, divided in ((None, "sum"), ("linear", "n"), ("linear", "sum"))
    )
    if none is None or linear is None:
        return []
    text = (
        "With noise, linear attention need not fail where every token is a query. Trained, it does "
        "what no attention does in the first paper's network with these changes: rows divided by "
        "n, not by their sums; neurons standardised, with a bias for each, pooled by the largest, "
        "not summed; and learned weights of the outputs. Each token's query can copy the token. "
        f"At μ = {SIGNAL:g} and n = {LARGE} its accuracy is {linear:.3f}, without attention "
        f"{none:.3f}"
    )
    if by_sums is not None:
        failed = by_sums < BY_HAND
        text += f"; divided by its row sums{' its training failed, at' if failed else ','} "
        text += f"{by_sums:.3f}{f': weights set by hand have {BY_HAND:.2f}' if failed else ''}"
    return [f"{text}."]


def mean_accuracy(cells: pa.Table, **wanted) -> float | None:
    """The mean over the runs that have these values, or the ones quoted; None if there are none."""
    wanted = {"features": None, "mu": SIGNAL, "n": LARGE, "control": False} | wanted
    found = [
        row["accuracy"]
        for row in cells.to_pylist()
        if all(row[key] == value for key, value in wanted.items())
    ]
    return sum(found) / len(found) if found else None


def claim_counts(claims: pa.Table, cells: pa.Table | None = None) -> list[str]:
    """How many claims agree, by what they are judged on, and of the others why they do not."""
    rows = claims.to_pylist()
    counts = "; ".join(
        f"of {len(own)} on {'computed numbers' if kind == KINDS[0] else 'trained networks'}, "
        f"{count_verdicts(row['verdict'] for row in own)}"
        for kind in KINDS
        if (own := [row for row in rows if row["kind"] == kind])
    )
    said = [f"**Claims,** by rules of this study's own: {counts}."]
    said += [
        f"**{row['verdict'].capitalize()}, {row['claim']}:** {row['statement']}."
        + _why(row, cells.to_pylist() if cells else [])
        for row in rows
        if row["verdict"] not in (AGREES, NOT_RUN)
    ]
    return said


def _why(row: dict, runs: list[dict]) -> str:
    """The comparison that keeps a claim from agreeing: its number, how well that is known, and what
    is allowed; and the runs, where it is of one cell's."""
    if row["value"] is None:
        return ""
    text = (
        f" Of {row['comparisons']} comparisons the furthest from agreeing is {row['decided_at']}: "
        f"{row['value']:.3g}."
    )
    if row["low"] is None or row["high"] is None:
        return f"{text} It has no interval."
    below = row["least"] is not None and row["low"] < row["least"]
    end = f"below the {row['least']:g}" if below else f"above the {row['most']:g}"
    interval = f"interval, {row['low']:.3g} to {row['high']:.3g},"
    if row["verdict"] == DIFFERS:
        text += f" Its whole {interval} lies {end} that is allowed"
    else:
        text += f" Its {interval} reaches {end} that is allowed, so that it is not decided"
    found = [run["accuracy"] for run in runs if row["decided_at"].endswith(f", {cell_words(run)}")]
    if found:
        text += f"; the {len(found)} runs have accuracies from {min(found):.3f} to {max(found):.3f}"
    return f"{text}."


def in_words(row: dict) -> str:
    """The comparison that decides on a claim; empty where nothing was compared."""
    if row["value"] is None:
        return ""
    return f"{row['decided_at']}: {row['value']:.5g}"


def _accuracies(lines: pa.Table | None) -> Accuracies:
    rows = lines.to_pylist() if lines else []
    return {(row["kernel"], row["mu"], row["n"]): row["accuracy"] for row in rows}
