"""How much one request may ask for, and how much is done at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceLimits:
    """What a service does at most; a request that asks for more is refused, and told so.

    >>> ServiceLimits().running, ServiceLimits().seconds
    (4, 5.0)
    """

    query_bytes: int = 8 << 10  # of the text of one query
    clauses: int = 1024  # of a query with its filters, all groups together
    levels: int = 50  # of groups in groups
    rows: int = 1000  # documents of one answer
    window: int = 10_000  # of OpenSearch's from + size
    address_bytes: int = 32 << 10  # of what stands behind the question mark
    body_bytes: int = 64 << 10
    body_seconds: float = 10.0  # until the whole body has come
    seconds: float = 5.0  # of a search, looked at between clauses
    running: int = 4  # searches at once
    waiting: int = 64  # searches that wait for their turn
    wait_seconds: float = 5.0  # how long they wait
    retry_seconds: int = 1  # when one that was refused may ask again


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections a server has, and how long one may keep it waiting.

    One address has half of them at most, unless it is a proxy's.
    >>> ConnectionLimits().most, ConnectionLimits().head_seconds
    (1000, 10.0)
    """

    most: int = 1000  # less where the process may open fewer files
    head_seconds: float = 10.0  # from the connection, or from the last answer, until the head of a request has come
    idle_seconds: int = 5  # after an answer, without a word
    unread_seconds: float = 30.0  # of an answer that is not read on
    look_seconds: float = 0.5  # between two looks at all of them
    said_seconds: float = 60.0  # between two lines that say which were ended
