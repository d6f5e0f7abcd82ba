"""workflow/Snakefile, where tools look for one, is the Snakefile."""

import pytest

pytestmark = pytest.mark.whole_run


def test_it_makes_the_same(small):
    there = small.would_run("--snakefile", "workflow/Snakefile")
    assert there - {"plain"} == small.would_run()
    assert len(there) > 20
