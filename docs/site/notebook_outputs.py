"""Runs docs/notebook.ipynb cell by cell and writes what each shows into it.

`python docs/site/notebook_outputs.py NOTEBOOK` needs no Jupyter; `make gallery` does it.
"""

import ast
import base64
import io
import json
import pprint
import sys
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from attention_separation.pages.house_style import house_rc
from attention_separation.results.files import write_text

matplotlib.use("agg")


def shown(value: Any) -> dict[str, Any]:
    """What a notebook shows of a value, by MIME type."""
    if isinstance(value, Figure):
        with io.BytesIO() as file:
            value.savefig(file, format="png", dpi=80, metadata={"Software": None})
            picture = base64.b64encode(file.getvalue()).decode()
        return {"image/png": picture, "text/plain": lines("a figure")}
    if isinstance(value, pd.DataFrame):
        return {"text/html": lines(value.to_html()), "text/plain": lines(value.to_string())}
    return {"text/plain": lines(pprint.pformat(value))}


def lines(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)


def outputs(codes: list[str]) -> list[dict[str, Any]]:
    """What each cell of code shows, run one after another in one namespace: its last value."""
    names: dict[str, Any] = {}
    found = []
    with house_rc():
        for code in codes:
            *statements, last = ast.parse(code).body
            exec(compile(ast.Module(statements, []), "cell", "exec"), names)
            assert isinstance(last, ast.Expr)
            found.append(shown(eval(compile(ast.Expression(last.value), "cell", "eval"), names)))
    plt.close("all")
    return found


def main(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = outputs(["".join(cell["source"]) for cell in cells])
    for count, (cell, data) in enumerate(zip(cells, found, strict=True), start=1):
        cell["execution_count"] = count
        output = {"data": data, "execution_count": count, "metadata": {}}
        cell["outputs"] = [output | {"output_type": "execute_result"}]
    text = json.dumps(notebook, ensure_ascii=False, indent=1)
    write_text(path, text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
