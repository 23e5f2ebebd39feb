"""Kernel updating: an SVM whose kernel has learnt from earlier sessions which items belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import rbf
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.learners import sklearn_part
from rankscope.feedback.methods.svm import SVM


@dataclass(frozen=True)
class KernelUpdating(SVM):
    """The decision value f(x) of an SVM with the kernel (1 - rho) k(x, y) + rho r(x, y), r the cosine of log marks.

    Our reading. r is between the columns of two items in the log, balanced so that the irrelevant items of a session
    weigh no more than the relevant; 0 for an item that no session tells about. The sum of two kernels is a kernel.
    Without a log it is the plain SVM.
    """

    rho: float = 0.5
    name: ClassVar[str] = "kernel-updating"
    source: ClassVar[str] = "Gosselin & Cord 2004, Semantic kernel updating for content-based image retrieval"
    dagger: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("log",)
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"rho": 0}
    most: ClassVar[Mapping[str, float]] = {"rho": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Session by session: each has a kernel of its own."""
        return np.stack([self.score_one(items, session) for session in examples])

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Fit on the kernel among the examples, then expand over all items."""
        kernel = self.updated(items, session)
        machine = sklearn_part("svm").SVC(C=self.C, kernel="precomputed", tol=1e-5)
        machine.fit(kernel[:, session.examples], session.labels)
        values: FloatArray = machine.dual_coef_[0] @ kernel[machine.support_] + machine.intercept_[0]
        return values

    def updated(self, items: Items, session: Session) -> FloatArray:
        """Examples x items: the kernel after all sessions of the log."""
        content = rbf(items, items.matrix[session.examples], self.width(items)).astype(np.float64)
        content[np.arange(session.examples.size), session.examples] = 1.0
        log = items.earlier.visible(session.log_rows)
        if not len(log) or not self.rho:
            return content
        columns = log.columns
        together = (columns[:, session.examples].T @ columns).toarray()
        return (1 - self.rho) * content + self.rho * together
