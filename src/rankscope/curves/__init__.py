"""Arrays per query or per group: what graphs draw, computed apart from drawing. Names load when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.catalogue import later, load_attribute

if TYPE_CHECKING:
    from rankscope.curves.averaging import GeneralityGroup as GeneralityGroup
    from rankscope.curves.averaging import RadialCurve as RadialCurve
    from rankscope.curves.averaging import doubling_grid as doubling_grid
    from rankscope.curves.averaging import generality_groups as generality_groups
    from rankscope.curves.averaging import mean_along_rays as mean_along_rays
    from rankscope.curves.averaging import precision_boxes as precision_boxes
    from rankscope.curves.averaging import radial_curves as radial_curves
    from rankscope.curves.averaging import radial_lattice as radial_lattice
    from rankscope.curves.averaging import radial_mean as radial_mean
    from rankscope.curves.averaging import recall_boxes as recall_boxes
    from rankscope.curves.curve import Curve as Curve
    from rankscope.curves.curve import Region as Region
    from rankscope.curves.effort_over_queries import median_effort as median_effort
    from rankscope.curves.effort_over_queries import pooled_contingency as pooled_contingency
    from rankscope.curves.effort_over_queries import windows as windows
    from rankscope.curves.generality import GeneralityCurve as GeneralityCurve
    from rankscope.curves.generality import grip as grip
    from rankscope.curves.generality import grnp as grnp
    from rankscope.curves.generality import random_line as random_line
    from rankscope.curves.generality_tables import GeneralityTable as GeneralityTable
    from rankscope.curves.generality_tables import generality_table as generality_table
    from rankscope.curves.growing_alike import EvenGrowth as EvenGrowth
    from rankscope.curves.growing_alike import even_growth as even_growth
    from rankscope.curves.guides import accessible_region as accessible_region
    from rankscope.curves.guides import highest_precision as highest_precision
    from rankscope.curves.guides import ideal_curve as ideal_curve
    from rankscope.curves.guides import lowest_precision as lowest_precision
    from rankscope.curves.guides import minimum_area as minimum_area
    from rankscope.curves.guides import minimum_average_precision as minimum_average_precision
    from rankscope.curves.guides import scope_line as scope_line
    from rankscope.curves.precision_recall import mean_at_precision_levels as mean_at_precision_levels
    from rankscope.curves.precision_recall import mean_at_recall_levels as mean_at_recall_levels
    from rankscope.curves.precision_recall import mean_at_scopes as mean_at_scopes
    from rankscope.curves.precision_recall import points_at_hits as points_at_hits
    from rankscope.curves.precision_recall import points_at_scopes as points_at_scopes
    from rankscope.curves.precision_recall import query_curve as query_curve
    from rankscope.curves.query_effort import SearchEffort as SearchEffort
    from rankscope.curves.query_effort import expected_windows as expected_windows
    from rankscope.curves.query_effort import search_effort as search_effort
    from rankscope.curves.random_levels import random_at_recall_levels as random_at_recall_levels
    from rankscope.curves.random_levels import random_level as random_level
    from rankscope.curves.random_levels import random_precision_at_hits as random_precision_at_hits
    from rankscope.curves.scope import ideal_precision_scope as ideal_precision_scope
    from rankscope.curves.scope import ideal_recall_scope as ideal_recall_scope
    from rankscope.curves.scope import precision_relevant_scope as precision_relevant_scope
    from rankscope.curves.scope import precision_scope as precision_scope
    from rankscope.curves.scope import recall_relevant_scope as recall_relevant_scope
    from rankscope.curves.scope import recall_scope as recall_scope
    from rankscope.curves.surface import Surface as Surface
    from rankscope.curves.surface import grep_surface as grep_surface
    from rankscope.curves.thinned_recall import recall_at_level as recall_at_level
    from rankscope.curves.thinning import Thinned as Thinned
    from rankscope.curves.thinning import expected_hits as expected_hits
    from rankscope.curves.thinning import expected_hits_of_class as expected_hits_of_class
    from rankscope.curves.thinning import expected_value as expected_value
    from rankscope.curves.window import CertainBounds as CertainBounds
    from rankscope.curves.window import ceiling as ceiling
    from rankscope.curves.window import ceilings as ceilings
    from rankscope.curves.window import certain_bounds as certain_bounds
    from rankscope.curves.window import random_floor as random_floor
    from rankscope.curves.window import settled_hits as settled_hits
    from rankscope.curves.window import window_curves as window_curves
    from rankscope.curves.window import window_mean as window_mean
    from rankscope.curves.window import worst_case as worst_case

_NAMES = {  # by the module in which they stand
    "averaging": (
        "GeneralityGroup",
        "RadialCurve",
        "doubling_grid",
        "generality_groups",
        "mean_along_rays",
        "precision_boxes",
        "radial_curves",
        "radial_lattice",
        "radial_mean",
        "recall_boxes",
    ),
    "curve": (
        "Curve",
        "Region",
    ),
    "effort_over_queries": (
        "median_effort",
        "pooled_contingency",
        "windows",
    ),
    "growing_alike": (
        "EvenGrowth",
        "even_growth",
    ),
    "generality": (
        "GeneralityCurve",
        "grip",
        "grnp",
        "random_line",
    ),
    "generality_tables": (
        "GeneralityTable",
        "generality_table",
    ),
    "guides": (
        "accessible_region",
        "highest_precision",
        "ideal_curve",
        "lowest_precision",
        "minimum_area",
        "minimum_average_precision",
        "scope_line",
    ),
    "precision_recall": (
        "mean_at_precision_levels",
        "mean_at_recall_levels",
        "mean_at_scopes",
        "points_at_hits",
        "points_at_scopes",
        "query_curve",
    ),
    "query_effort": (
        "SearchEffort",
        "expected_windows",
        "search_effort",
    ),
    "random_levels": (
        "random_at_recall_levels",
        "random_level",
        "random_precision_at_hits",
    ),
    "scope": (
        "ideal_precision_scope",
        "ideal_recall_scope",
        "precision_relevant_scope",
        "precision_scope",
        "recall_relevant_scope",
        "recall_scope",
    ),
    "surface": (
        "Surface",
        "grep_surface",
    ),
    "thinned_recall": ("recall_at_level",),
    "thinning": (
        "Thinned",
        "expected_hits",
        "expected_hits_of_class",
        "expected_value",
    ),
    "window": (
        "CertainBounds",
        "ceiling",
        "ceilings",
        "certain_bounds",
        "random_floor",
        "settled_hits",
        "window_curves",
        "window_mean",
        "worst_case",
    ),
}
_ENTRIES = later(__name__, {name: f"{module}:{name}" for module, names in _NAMES.items() for name in names})

__all__ = [*_ENTRIES]


def __getattr__(name: str) -> Any:
    return load_attribute(_ENTRIES, name)


def __dir__() -> list[str]:
    return __all__
