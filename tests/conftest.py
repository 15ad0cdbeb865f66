"""Hypothesis profiles, chosen by the environment variable HYPOTHESIS_PROFILE.

No profile has a deadline: no test asserts a time. Examples stay random, in CI too, and a failure
prints the blob that reproduces it.
"""

import os

from hypothesis import settings

settings.register_profile("default", deadline=None, print_blob=True)
# Hypothesis brings a profile of this name that repeats the same examples; ours looks further, and
# keeps no database because a fresh machine would throw it away.
settings.register_profile(
    "ci", deadline=None, print_blob=True, derandomize=False, database=None, max_examples=200
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
