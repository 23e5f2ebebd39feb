"""What all tests share: one hypothesis profile, without a deadline: a loaded machine is no fault of the code."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("rankscope", deadline=None)
settings.load_profile("rankscope")
