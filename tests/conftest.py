"""What all tests share: the profiles of hypothesis.

By default the same examples every time, on every machine: they derive from the source of each test, none is kept in a
folder, and nothing is a fault only because a machine is slow. `--hypothesis-profile=explore` draws fresh ones, and is
what `python -m benchmarks explore` uses.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "rankscope", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("rankscope"), derandomize=False, print_blob=True)
settings.load_profile("rankscope")
