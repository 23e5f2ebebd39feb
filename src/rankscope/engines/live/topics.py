"""Topics ready to be asked: each with the request that asks for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.engines.live.dialect import Dialect
from rankscope.engines.live.template import VECTOR, RequestTemplate, TopicValues
from rankscope.errors import InputError
from rankscope.inputs.topics.query_set import QuerySet
from rankscope.names import name_of
from rankscope.number_texts import how_many
from rankscope.wording import setting_usage

Vectors = Mapping[str, list[float]]
SHOWN = 10


def requests_of(
    queries: QuerySet,
    texts: Mapping[str, str],
    template: RequestTemplate,
    dialect: Dialect,
    vectors: Vectors | None = None,
) -> dict[str, dict[str, Any]]:
    """The request of each topic; all that is wrong with the template and the vectors is said at once."""
    problems = [*template.problems(queries.names, dialect.paged), *_about_vectors(queries, template, vectors)]
    if problems:
        raise InputError.of(template.name, problems)
    return {
        topic: template.filled(
            TopicValues(topic, texts[topic], queries.parts[topic], None if vectors is None else vectors[topic])
        )
        for topic in texts
    }


def _about_vectors(queries: QuerySet, template: RequestTemplate, vectors: Vectors | None) -> list[str]:
    usage = setting_usage("vectors", "FILE")
    if VECTOR not in template.places:
        return [] if vectors is None else [f"has no place {{{VECTOR}}} for what {usage} holds"]
    if vectors is None:
        return [f"has a place {{{VECTOR}}}: give the vectors of the topics with {usage}"]
    missing = [each for each in queries if each not in vectors]
    more = f" and {len(missing) - SHOWN:,} more" if len(missing) > SHOWN else ""
    return [f"{usage} has no vector of topic {', '.join(missing[:SHOWN])}{more}"] if missing else []


def read_vectors(given: Any) -> dict[str, list[float]]:
    """Vectors by the ids of topics: a file of vectors with ids (.npz, Parquet), or a dictionary.

    Numbers of 32 bits are written with the shortest decimals that mean them.
    >>> read_vectors({7: np.array([0.1, 0.5], dtype=np.float32)})
    {'7': [0.1, 0.5]}
    """
    if isinstance(given, Mapping):
        return {str(topic): _decimals(np.asarray(vector)) for topic, vector in given.items()}
    from rankscope.inputs.feature_files import read_contents

    found = read_contents(Path(given))
    if found.ids is None:
        raise InputError.of(name_of(given), ["has no ids, so its vectors belong to no topic"])
    ids: Sequence[Any] = found.ids.tolist() if isinstance(found.ids, np.ndarray) else found.ids
    if len(ids) != len(found.matrix):
        raise InputError.of(name_of(given), [f"has {len(ids):,} ids and {how_many(len(found.matrix), 'vectors')}"])
    return {str(topic): _decimals(vector) for topic, vector in zip(ids, found.matrix, strict=True)}


def _decimals(vector: Any) -> list[float]:
    if vector.ndim != 1 or not np.issubdtype(vector.dtype, np.number) or not np.isfinite(vector).all():
        raise InputError.of("vectors", ["each must be a row of finite numbers"])
    return [float(str(each)) for each in vector]


def digest_of(requests: Mapping[str, Any]) -> str:
    """What tells whether topics and their requests are the same as before."""
    text = json.dumps(requests, ensure_ascii=False, sort_keys=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
