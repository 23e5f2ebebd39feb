"""docs/reference/settings.md: choices that change numbers, and the peers' habits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankscope.core.peers import PEERS, Apart, Peer
from rankscope.core.settings import SETTINGS, Settings
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

INTRODUCTION = """
Every choice that changes a number stands in this table. Each is an option of the command line and a keyword of
`rankscope.evaluate` under the same name (`--judged-only`, `judged_only=True`). What was chosen is written into every
result.
""".strip()
COMPAT = """
`--compat PEER` (`compat="PEER"`) sets what a peer does, so that its numbers come out. An option given explicitly wins
over the peer's habit. Whether they really come out is shown on the [conformance page](../conformance.md).
""".strip()


def page() -> str:
    """The page."""
    rows = [
        [
            code(each.option),
            each.unset or code(each.default),
            ", ".join(code(one) for one in each.choices),
            each.meaning,
        ]
        for each in SETTINGS
    ]
    return whole_page(
        "Settings",
        INTRODUCTION,
        table(["option", "default", "choices", "meaning"], rows),
        "## Habits of other programs",
        COMPAT,
        table(["peer", "settings", "parameters of measures", "measures it computes apart", "remark"], map(row, PEERS)),
    )


def row(peer: Peer) -> list[str]:
    """One peer; only what differs from our defaults."""
    plain = Settings()
    changed = {name: value for name, value in peer.settings.items() if getattr(plain, name) != value}
    parameters = [f"{name}: {written(values)}" for name, values in peer.measures.items()]
    apart = [f"{measure(each)}: {written(each.settings)}" for each in peer.apart]
    return [code(peer.name), written(changed), "; ".join(parameters), "; ".join(apart), peer.note]


def written(values: Mapping[str, Any]) -> str:
    """Settings as they are typed."""
    return ", ".join(code(f"{name}={value}") for name, value in values.items())


def measure(apart: Apart) -> str:
    """A measure as it is typed."""
    given = ",".join(f"{name}={value}" for name, value in apart.where.items())
    return apart.measure + (f"({given})" if given else "") + ("@K" if apart.cut else "")
