"""Draws the rules that make Figure 4, as `snakemake fig4 --rulegraph` has them.

`python docs/site/rule_graph.py FILE.svg` asks Snakemake, and makes nothing else.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from attention_separation.attention.kernel_looks import BLUE, MIDDLE_GRAY, PALE_BLUE
from attention_separation.pages.house_style import house_rc

ROOT = Path(__file__).parents[2]
TARGET = "fig4"


def rule_graph(target: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The names of rules by their numbers, and which number's files which other takes."""
    command = [sys.executable, "-m", "snakemake", target, "--rulegraph"]
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"]+)"', done.stdout, re.M))
    edges = re.findall(r"^\s*(\d+) -> (\d+)$", done.stdout, re.M)
    return names, edges


def layers(names: dict[str, str], edges: list[tuple[str, str]]) -> list[list[str]]:
    """The rules' numbers by how many steps stand before each, sorted by name."""
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for before, after in edges:
            depth[after] = max(depth[after], depth[before] + 1)
    found = [[rule for rule in names if depth[rule] == k] for k in range(max(depth.values()) + 1)]
    return [sorted(layer, key=names.__getitem__) for layer in found]


def draw(names: dict[str, str], edges: list[tuple[str, str]], path: Path) -> None:
    """The graph from left to right, each rule a box."""
    columns = layers(names, edges)
    tallest = max(map(len, columns))
    with house_rc():
        matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 11})
        figure = Figure(figsize=(2.6 * len(columns), 0.62 * tallest))
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(-0.6, tallest - 0.4))
        places = {}
        for column, rules in enumerate(columns):
            for row, rule in enumerate(rules):
                places[rule] = (column, (tallest - 1) / 2 + (len(rules) - 1) / 2 - row)
        # Snakemake has its rules in no fixed order.
        for before, after in sorted(edges, key=lambda edge: (names[edge[0]], names[edge[1]])):
            ends = zip(places[before], places[after], strict=True)
            ax.plot(*ends, color=MIDDLE_GRAY, linewidth=1.4, zorder=1)
        for rule in sorted(places, key=names.__getitem__):
            x, y = places[rule]
            box = {"boxstyle": "round,pad=0.45", "facecolor": PALE_BLUE, "edgecolor": BLUE}
            ax.text(x, y, names[rule], ha="center", va="center", bbox=box, zorder=2)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(*rule_graph(TARGET), Path(sys.argv[1]))
