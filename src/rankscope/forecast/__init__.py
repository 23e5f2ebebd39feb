"""Growth: what is left of a system's quality in a larger collection, with a back-test on its own data.

Names load when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.catalogue import later, load_attribute

if TYPE_CHECKING:
    from rankscope.forecast.growth import forecast as forecast
    from rankscope.forecast.intervals import ForecastInterval as ForecastInterval
    from rankscope.forecast.models import ALL as ALL
    from rankscope.forecast.result import ASSUMPTIONS as ASSUMPTIONS
    from rankscope.forecast.result import Forecast as Forecast
    from rankscope.forecast.result import MeasureForecast as MeasureForecast

_ENTRIES = later(
    __name__,
    {
        "ALL": "models:ALL",
        "ASSUMPTIONS": "result:ASSUMPTIONS",
        "Forecast": "result:Forecast",
        "ForecastInterval": "intervals:ForecastInterval",
        "MeasureForecast": "result:MeasureForecast",
        "forecast": "growth:forecast",
    },
)
__all__ = [*_ENTRIES]


def __getattr__(name: str) -> Any:
    return load_attribute(_ENTRIES, name)


def __dir__() -> list[str]:
    return __all__
