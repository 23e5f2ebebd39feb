"""Variances of crossed and nested random effects by restricted maximum likelihood (REML), on any table.

The model is y = X b + sum_k Z_k u_k + e with Var(y) = V = sum_k t_k Z_k Z_k' + t_e I. With
P = V^-1 - V^-1 X (X'V^-1 X)^-1 X'V^-1, q_k = y'P V_k P y and F_kl = tr(P V_k P V_l), the derivative of the restricted
log likelihood is (q - F t)/2 and its information is F/2 (Patterson & Thompson 1971). A step of Fisher scoring solves
F t = q with no variance below 0 (Anderson 1973); on a balanced table the first step arrives, at the estimates of the
analysis of variance where none of them is negative. All is computed from Z'Z, whose size is the number of levels, not
of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError

RESIDUAL = "residual"
MOST_LEVELS = 5_000  # of all effects together: a matrix of 200 MB
MOST_STEPS = 200
EXACT = 1e-11  # of the total variance: a step that moves less has arrived
LEAST_RESIDUAL = 1e-9  # of the total variance: below it the residual counts as 0
SINGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class RemlFit:
    """Variances of the effects, the residual last, with what is known of their errors, and the fixed coefficients."""

    names: tuple[str, ...]
    variances: FloatArray
    information: FloatArray  # F/2 at the estimate
    free: FloatArray  # estimates without the limit at 0, from the last step
    coefficients: FloatArray
    coefficient_errors: FloatArray
    log_likelihood: float  # restricted
    rows: int

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the variances, as if no limit at 0 were there."""
        return np.sqrt(np.diag(np.linalg.pinv(self.information)))

    @property
    def at_zero(self) -> tuple[str, ...]:
        """The effects whose variance came out at or below 0 and counts as 0."""
        return tuple(name for name, value in zip(self.names, self.variances.tolist(), strict=True) if value == 0)

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise SettingError(f"no variance of '{name}'. There are: {', '.join(self.names)}")
        return float(self.variances[self.names.index(name)])


def reml(values: FloatArray, groups: Mapping[str, IntArray], fixed: FloatArray | None = None) -> RemlFit:
    """Variances of the effects of `groups`, each the number of a level for every row; `fixed` are columns next to 1.

    >>> ranks = np.array([9.0, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7])
    >>> target, judge = np.divmod(np.arange(24), 4)
    >>> fit = reml(ranks, {"target": target, "judge": judge})
    >>> dict(zip(fit.names, fit.variances.round(4).tolist()))
    {'target': 2.5556, 'judge': 5.2444, 'residual': 1.0194}
    """
    sums = _Sums.of(values, groups, fixed)
    if sums.total == 0:
        return _constant(sums)
    variances = np.full(len(sums.names), 1.0 / len(sums.names))
    point = _Point.at(sums, variances)
    _refuse_confounded(point)
    for _ in range(MOST_STEPS):
        before, point = point, _not_worse(sums, point, _scored(point))
        if float(np.abs(point.variances - before.variances).max()) < EXACT:
            break
    return _fit(sums, point)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of products of effects, fixed columns and values; values are divided by their standard deviation."""

    names: tuple[str, ...]
    effect: IntArray  # of each level: the number of its effect
    zz: FloatArray
    zx: FloatArray
    zy: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: float
    rows: int
    total: float  # variance of the values around the fixed part
    start: FloatArray  # coefficients by least squares, which the values are freed of

    @classmethod
    def of(cls, values: FloatArray, groups: Mapping[str, IntArray], fixed: FloatArray | None) -> _Sums:
        x = np.column_stack([np.ones(values.size), *([] if fixed is None else [fixed])])
        start = np.asarray(np.linalg.lstsq(x, values, rcond=None)[0], dtype=np.float64)
        rest = values - x @ start
        free = values.size - np.linalg.matrix_rank(x)
        if free < 1 or np.linalg.matrix_rank(x) < x.shape[1]:
            raise SettingError(
                f"{x.shape[1]} fixed columns cannot be estimated separately from {values.size} values: leave some out"
            )
        scale = max(1e-300, float(np.abs(values).max(initial=0.0)))
        total = float(rest @ rest) / free if np.abs(rest).max() > 1e-12 * scale else 0.0
        y = rest / np.sqrt(total) if total else rest
        codes = [np.unique(each, return_inverse=True)[1].astype(np.int64) for each in groups.values()]
        sizes = [int(each.max()) + 1 for each in codes]
        if sum(sizes) > MOST_LEVELS:
            raise SettingError(f"{sum(sizes):,} levels of queries, assessors, ... together; at most {MOST_LEVELS:,}")
        places = [each + before for each, before in zip(codes, np.cumsum([0, *sizes])[:-1], strict=True)]
        return cls(
            names=(*groups, RESIDUAL),
            effect=np.repeat(np.arange(len(sizes)), sizes),
            zz=_crossed(places, sum(sizes)),
            zx=np.stack([_added(places, column, sum(sizes)) for column in x.T], axis=1),
            zy=_added(places, y, sum(sizes)),
            xx=x.T @ x,
            xy=x.T @ y,
            yy=float(y @ y),
            rows=values.size,
            total=total,
            start=start,
        )


def _crossed(places: list[IntArray], levels: int) -> FloatArray:
    """How often every two levels meet in a row."""
    table = np.zeros(levels**2)
    for one in places:
        for other in places:
            table += np.bincount(one * levels + other, minlength=levels**2)
    return table.reshape(levels, levels)


def _added(places: list[IntArray], column: FloatArray, levels: int) -> FloatArray:
    total = np.zeros(levels)
    for each in places:
        total += np.bincount(each, column, levels)
    return total


@dataclass(frozen=True, eq=False)
class _Point:
    """The likelihood at some variances, with q and F of the description above."""

    variances: FloatArray
    q: FloatArray
    f: FloatArray
    likelihood: float
    coefficients: FloatArray
    coefficient_variance: FloatArray

    @classmethod
    def at(cls, sums: _Sums, variances: FloatArray) -> _Point:
        from scipy.linalg import solve_triangular

        residual = float(variances[-1])
        root = np.sqrt(variances[sums.effect] / residual)
        inner = np.eye(root.size) + root[:, None] * sums.zz * root
        lower = np.linalg.cholesky(inner)
        half = solve_triangular(lower, root[:, None] * np.column_stack([sums.zz, sums.zx, sums.zy]), lower=True)
        levels, columns = root.size, sums.zx.shape[1]
        z, x, y = half[:, :levels], half[:, levels : levels + columns], half[:, -1]
        zz, zx, zy = ((own - z.T @ part) / residual for own, part in ((sums.zz, z), (sums.zx, x), (sums.zy, y)))
        xx, xy = (sums.xx - x.T @ x) / residual, (sums.xy - x.T @ y) / residual
        yy = (sums.yy - float(y @ y)) / residual
        inverse = np.linalg.inv(xx)
        coefficients = inverse @ xy
        rest = yy - float(xy @ coefficients)
        projected = zz - zx @ inverse @ zx.T
        q, f = _scores(sums, variances, projected, zy - zx @ coefficients, rest)
        determinant = sums.rows * np.log(residual) + 2 * np.log(np.diag(lower)).sum() + np.linalg.slogdet(xx)[1]
        freedom = sums.rows - columns
        return cls(
            variances=variances,
            q=q,
            f=f,
            likelihood=-0.5 * float(determinant + rest + freedom * np.log(2 * np.pi)),
            coefficients=coefficients,
            coefficient_variance=inverse,
        )


def _scores(
    sums: _Sums, variances: FloatArray, projected: FloatArray, pulled: FloatArray, rest: float
) -> tuple[FloatArray, FloatArray]:
    """q and F; those of the residual follow from P V P = P."""
    count = variances.size - 1
    own, residual = variances[:-1], float(variances[-1])
    member = np.zeros((count, sums.effect.size))
    member[sums.effect, np.arange(sums.effect.size)] = 1.0
    trace = member @ np.diag(projected)
    q, f = np.zeros(count + 1), np.zeros((count + 1, count + 1))
    q[:-1] = member @ pulled**2
    q[-1] = max(0.0, (rest - float(own @ q[:-1])) / residual)
    f[:-1, :-1] = member @ projected**2 @ member.T
    f[-1, :-1] = f[:-1, -1] = (trace - f[:-1, :-1] @ own) / residual
    freedom = sums.rows - sums.xx.shape[0]
    all_trace = (freedom - float(own @ trace)) / residual
    f[-1, -1] = (all_trace - float(own @ f[-1, :-1])) / residual
    return q, f


def _scored(point: _Point) -> FloatArray:
    """The variances of the next step: F t = q as near as can be with none below 0."""
    from scipy.optimize import nnls

    least = np.zeros(point.q.size)
    least[-1] = LEAST_RESIDUAL
    scale = np.sqrt(np.diag(point.f))
    root = np.linalg.cholesky(point.f / np.outer(scale, scale) + 1e-14 * np.eye(scale.size)).T
    aim = np.linalg.solve(root.T, (point.q - point.f @ least) / scale)
    return np.asarray(least + nnls(root, aim)[0] / scale)


def _not_worse(sums: _Sums, point: _Point, wanted: FloatArray) -> _Point:
    """The point wanted, or one on the way to it where the likelihood is no lower than here."""
    for halvings in range(30):
        found = _Point.at(sums, point.variances + (wanted - point.variances) / 2**halvings)
        if found.likelihood >= point.likelihood - 1e-10 * abs(point.likelihood):
            return found
    return point


def _refuse_confounded(point: _Point) -> None:
    scale = np.sqrt(np.diag(point.f))
    if not scale.all() or np.linalg.eigvalsh(point.f / np.outer(scale, scale))[0] < SINGULAR:
        raise SettingError(
            "some effects cannot be estimated separately from this table, such as queries from classes of one "
            "query each: leave one out"
        )


def _fit(sums: _Sums, point: _Point) -> RemlFit:
    variances = point.variances.copy()
    if variances[-1] <= 2 * LEAST_RESIDUAL:
        variances[-1] = 0.0
    root = np.sqrt(sums.total)
    freedom = sums.rows - sums.xx.shape[0]
    return RemlFit(
        names=sums.names,
        variances=variances * sums.total,
        information=point.f / (2 * sums.total**2),
        free=np.linalg.pinv(point.f) @ point.q * sums.total,
        coefficients=sums.start + point.coefficients * root,
        coefficient_errors=np.sqrt(np.diag(point.coefficient_variance)) * root,
        log_likelihood=point.likelihood - freedom * float(np.log(root)),
        rows=sums.rows,
    )


def _constant(sums: _Sums) -> RemlFit:
    """All values equal: there is nothing to share out."""
    count, columns = len(sums.names), sums.xx.shape[0]
    return RemlFit(
        names=sums.names,
        variances=np.zeros(count),
        information=np.full((count, count), np.nan),
        free=np.zeros(count),
        coefficients=sums.start,
        coefficient_errors=np.zeros(columns),
        log_likelihood=float("nan"),
        rows=sums.rows,
    )
