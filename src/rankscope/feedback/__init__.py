"""Relevance feedback: methods that learn what a user wants from examples."""

from rankscope.feedback.examples import Examples
from rankscope.feedback.items import Items
from rankscope.feedback.method import CannotScore, Method, TwoSided
from rankscope.feedback.scored import Scored, best
from rankscope.feedback.session import Session

__all__ = ["CannotScore", "Examples", "Items", "Method", "Scored", "Session", "TwoSided", "best"]
