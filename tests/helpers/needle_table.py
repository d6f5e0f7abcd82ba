"""Computes and writes the needle's limits that the explorer has in a table, in some minutes."""

from itertools import product

from attention_separation.explorer import pictures
from attention_separation.needle import critical_n, limit


def write_table() -> None:
    """Each number in six digits."""
    rows = [["kernel", "mu", "critical_n", *map(str, pictures.TOKENS)]]
    for kernel, mu in product(reversed(pictures.NEEDLE_KERNELS), pictures.MUS):
        accuracies = [f"{limit(kernel, mu, n):.6f}" for n in pictures.TOKENS]
        rows.append([kernel, f"{mu:g}", f"{critical_n(kernel, mu):.6g}", *accuracies])
    pictures.TABLE.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    write_table()
