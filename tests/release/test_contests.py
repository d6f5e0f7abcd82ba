"""What docs/contests keeps is what its command makes, at the paper's scale."""

import pandas as pd
from making import ROOT
from project import Project


def test_what_docs_keep_is_what_their_command_makes(tmp_path):
    """Where it is not, the files of results/contests belong into docs/contests."""
    project, kept = Project(tmp_path), ROOT / "docs/contests"
    figures = sorted(path.stem for path in kept.glob("*.svg"))
    project.make(*figures, "verdicts", "--configfile", f"{kept}.yaml")
    made = project.folder / "results/contests"
    for name in figures:
        picture = (made / f"figures/{name}.svg").read_bytes()
        assert picture == (kept / f"{name}.svg").read_bytes(), name
    verdicts = [pd.read_csv(path) for path in (made / "tables/verdicts.csv", kept / "verdicts.csv")]
    pd.testing.assert_frame_equal(*verdicts, rtol=1e-6, atol=1e-13)
