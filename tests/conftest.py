"""What all tests share: Hypothesis profiles and a fixture for tests that interrupt a process.

The profile is chosen by the environment variable HYPOTHESIS_PROFILE.

No profile has a deadline: no test asserts a time. Examples stay random, in CI too, and a failure
prints the blob that reproduces it.
"""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, print_blob=True)
# Hypothesis brings a profile of this name that repeats the same examples; ours looks further, and
# keeps no database because a fresh machine would throw it away.
settings.register_profile(
    "ci", deadline=None, print_blob=True, derandomize=False, database=None, max_examples=200
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Whoever runs the tests in the background has interrupts ignored, in what they start too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
