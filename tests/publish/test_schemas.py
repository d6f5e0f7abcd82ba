"""Files for GitHub and for those who cite keep the schemas that these have published."""

import subprocess
import sys

import pytest
from making import ROOT

GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").iterdir() if path.stem != "config")
CASES = [
    *(("vendor.github-workflows", path) for path in sorted((GITHUB / "workflows").iterdir())),
    *(("custom.github-workflows-require-timeout", p) for p in (GITHUB / "workflows").iterdir()),
    *(("vendor.github-issue-forms", path) for path in FORMS),
    ("vendor.dependabot", GITHUB / "dependabot.yml"),
    ("vendor.github-issue-config", GITHUB / "ISSUE_TEMPLATE/config.yml"),
    ("vendor.citation-file-format", ROOT / "CITATION.cff"),
]


def checked(schema: str, path) -> subprocess.CompletedProcess:
    """What check-jsonschema says; its schemas come with it."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    return subprocess.run(
        [*command, "--force-filetype", "yaml", path], text=True, capture_output=True, check=False
    )


@pytest.mark.parametrize(("schema", "path"), CASES, ids=lambda case: getattr(case, "name", case))
def test_a_file_keeps_its_schema(schema, path):
    done = checked(schema, path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_word_that_is_none_of_a_workflow_is_found(tmp_path):
    wrong = tmp_path / "tests.yml"
    whole = (GITHUB / "workflows/tests.yml").read_text(encoding="utf-8")
    wrong.write_text(whole.replace("runs-on", "runs-in"), encoding="utf-8")
    assert checked("vendor.github-workflows", wrong).returncode == 1
