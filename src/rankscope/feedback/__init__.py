"""Relevance feedback: methods that learn what a user wants from examples."""

from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import CannotScore, Method, TwoSided

__all__ = ["CannotScore", "Examples", "Items", "Method", "Scored", "Session", "TwoSided", "best"]
