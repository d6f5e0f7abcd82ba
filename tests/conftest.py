"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

# Examples come from the test's own source: a failure in CI fails everywhere, today and tomorrow.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("EXAMPLES", "150")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")
