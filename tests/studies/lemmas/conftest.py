"""The table of claims, made once."""

import pytest
from claim_cases import JOB

from attention_separation.studies.lemmas.claims_table import evaluate_claims


@pytest.fixture(scope="session")
def table():
    return evaluate_claims(JOB)


@pytest.fixture(scope="session")
def by_id(table):
    found = {}
    for row in table.to_pylist():
        found.setdefault(row["id"], []).append(row)
    return found
