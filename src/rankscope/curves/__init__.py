"""Arrays per query or per group: what graphs draw, computed apart from drawing."""

from __future__ import annotations

from rankscope.curves.averaging import (
    GeneralityGroup,
    RadialCurve,
    doubling_grid,
    generality_groups,
    precision_boxes,
    radial_curves,
    radial_lattice,
    radial_mean,
    recall_boxes,
)
from rankscope.curves.curve import Curve, Region
from rankscope.curves.generality import GeneralityCurve, grip, grnp, random_line
from rankscope.curves.generality_table import GeneralityTable, generality_table
from rankscope.curves.guides import (
    accessible_region,
    highest_precision,
    ideal_curve,
    lowest_precision,
    minimum_area,
    minimum_average_precision,
    scope_line,
)
from rankscope.curves.precision_recall import (
    mean_at_recall_levels,
    mean_at_scopes,
    points_at_hits,
    points_at_scopes,
    query_curve,
)
from rankscope.curves.random_levels import random_at_recall_levels, random_level, random_precision_at_hits
from rankscope.curves.scope import (
    ideal_precision_scope,
    ideal_recall_scope,
    precision_relevant_scope,
    precision_scope,
    recall_relevant_scope,
    recall_scope,
)
from rankscope.curves.surface import Surface, grep_surface
from rankscope.curves.thinning import Thinned, expected_hits, expected_hits_of_class, expected_value
from rankscope.curves.window import (
    CertainBounds,
    ceiling,
    ceilings,
    certain_bounds,
    random_floor,
    settled_hits,
    window_curves,
    window_mean,
    worst_case,
)

__all__ = [
    "CertainBounds",
    "Curve",
    "GeneralityCurve",
    "GeneralityGroup",
    "GeneralityTable",
    "RadialCurve",
    "Region",
    "Surface",
    "Thinned",
    "accessible_region",
    "ceiling",
    "ceilings",
    "certain_bounds",
    "doubling_grid",
    "expected_hits",
    "expected_hits_of_class",
    "expected_value",
    "generality_groups",
    "generality_table",
    "grep_surface",
    "grip",
    "grnp",
    "highest_precision",
    "ideal_curve",
    "ideal_precision_scope",
    "ideal_recall_scope",
    "lowest_precision",
    "mean_at_recall_levels",
    "mean_at_scopes",
    "minimum_area",
    "minimum_average_precision",
    "points_at_hits",
    "points_at_scopes",
    "precision_boxes",
    "precision_relevant_scope",
    "precision_scope",
    "query_curve",
    "radial_curves",
    "radial_lattice",
    "radial_mean",
    "random_at_recall_levels",
    "random_floor",
    "random_level",
    "random_line",
    "random_precision_at_hits",
    "recall_boxes",
    "recall_relevant_scope",
    "recall_scope",
    "scope_line",
    "settled_hits",
    "window_curves",
    "window_mean",
    "worst_case",
]
