"""One text for equal settings, and its digest."""

import hashlib
import json

DIGEST_LENGTH = 16


def canonical_json(value) -> str:
    """One text for equal values: keys sorted, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """A short sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
