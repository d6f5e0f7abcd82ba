"""Computes and writes the needle's limits that the explorer has in a table, in some minutes."""

import math
from itertools import product

from attention_separation.explorer import pictures
from attention_separation.needle import critical_n, limit


def write_table() -> None:
    """Each accuracy in six digits, and the largest whole n at which it is 0.75 or more."""
    rows = [["kernel", "mu", "last_n", *map(str, pictures.TOKENS)]]
    for kernel, mu in product(reversed(pictures.NEEDLE_KERNELS), pictures.MUS):
        accuracies = [f"{limit(kernel, mu, n):.6f}" for n in pictures.TOKENS]
        last_n = math.floor(critical_n(kernel, mu))
        rows.append([kernel, f"{mu:g}", f"{last_n}", *accuracies])
    pictures.NEEDLE_LIMITS_FILE.write_text(
        "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8"
    )


if __name__ == "__main__":
    write_table()
