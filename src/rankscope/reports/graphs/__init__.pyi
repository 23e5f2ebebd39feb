from typing import Any

from . import kinds as kinds
from .classes import class_matrix_graph as class_matrix_graph
from .classes import comparison_intervals_graph as comparison_intervals_graph
from .collection_growth import even_growth_graph as even_growth_graph
from .collection_growth import forecast_graph as forecast_graph
from .differences import per_query_differences_graph as per_query_differences_graph
from .differences import power_curve_graph as power_curve_graph
from .differences import rank_intervals_graph as rank_intervals_graph
from .feedback import consistency_graph as consistency_graph
from .feedback import efficiency_graph as efficiency_graph
from .feedback import growth_graph as growth_graph
from .feedback import rounds_graph as rounds_graph
from .generality import band_graph as band_graph
from .generality import grep_graph as grep_graph
from .generality import grip_graph as grip_graph
from .generality import grnp_graph as grnp_graph
from .graph import Axis as Axis
from .graph import Graph as Graph
from .kinds import FEEDBACK_KINDS as FEEDBACK_KINDS
from .kinds import KINDS as KINDS
from .kinds import ONE as ONE
from .kinds import SEVERAL as SEVERAL
from .kinds import TWO as TWO
from .kinds import GraphKind as GraphKind
from .kinds import Option as Option
from .kinds import SystemCount as SystemCount
from .kinds import kind as kind
from .precision_recall import precision_recall_graph as precision_recall_graph
from .scope_curves import precision_scope_graph as precision_scope_graph
from .scope_curves import precision_window_graph as precision_window_graph
from .scope_curves import recall_scope_graph as recall_scope_graph
from .scope_curves import score_distribution_graph as score_distribution_graph
from .waterfall import ledger_graph as ledger_graph

ALL: tuple[GraphKind[Any], ...]
FEEDBACK: tuple[GraphKind[Any], ...]

def by_name(wanted: str) -> GraphKind[Any]: ...
