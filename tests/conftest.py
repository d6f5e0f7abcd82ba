"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

# A job has one core; two would wait for each other through small products, and tests with them.
# Read where NumPy and PyTorch are loaded, which is after this.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

# Examples come from the test's own source, but one number in twenty from constants of the project's
# modules that are loaded by then: a failure may need the tests before it to come again.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("EXAMPLES", "150")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")
