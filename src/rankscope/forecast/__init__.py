"""Growth: what is left of a system's quality in a larger collection, with a back-test on its own data."""

from rankscope.forecast.growth import forecast
from rankscope.forecast.intervals import ForecastInterval
from rankscope.forecast.models import ALL
from rankscope.forecast.result import ASSUMPTIONS, Forecast, MeasureForecast

__all__ = ["ALL", "ASSUMPTIONS", "Forecast", "ForecastInterval", "MeasureForecast", "forecast"]
