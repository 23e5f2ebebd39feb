"""Topics to an engine that answers over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.errors import SettingError
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.engines.live.live_run import LiveRun

DEPTH = 1000


def refuse_for_engine(choices: Mapping[str, Any]) -> None:
    """Choices that belong to an index, where they differ from what goes without saying."""
    from rankscope.facade.searching import unusual_settings

    if given := unusual_settings(choices):
        raise SettingError(
            f"{given}: not with {setting_usage('engine')}, which ranks by itself. What it can do belongs into "
            f"{setting_usage('request', 'FILE.json')}; judgements are for rankscope evaluate"
        )


def search_engine(
    engine: str,
    topics: Any,
    output: str | Path | None = None,
    *,
    request: str | Path | Mapping[str, Any] | None = None,
    vectors: str | Path | Mapping[str, Any] | None = None,
    field: str | None = None,
    syntax: Literal["words", "lucene"] = "words",
    depth: int | None = None,
    parts: str | Sequence[str] | None = None,
    id_field: str | None = None,
    page_size: int = 1000,
    workers: int = 4,
    retries: int = 5,
    seconds: float = 30,
    restart: bool = False,
    system: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    reading: Mapping[str, Any] | None = None,
) -> LiveRun:
    """The run of an engine for topics, as `search(engine=...)` gives it."""
    from rankscope.engines.live.address import EngineAddress
    from rankscope.engines.live.credentials import Credentials
    from rankscope.engines.live.dialects import DIALECTS
    from rankscope.engines.live.limits import EngineLimits, Extent
    from rankscope.engines.live.live_search import LiveSearch
    from rankscope.engines.live.topics import read_vectors, requests_of
    from rankscope.facade.searching import RANKS, query_set_of, system_name

    if topics is None:
        raise SettingError(f"{setting_usage('engine')} needs topics: give {setting_usage('topics', 'FILE')}")
    if str(output).endswith(RANKS):
        raise SettingError(f"NAME{RANKS} holds ranks of judged documents; an engine gives a run: name it NAME.run")
    address, credentials = EngineAddress.parse(engine), Credentials.from_environment()
    extent, limits = Extent(DEPTH if depth is None else depth, page_size), EngineLimits(workers, retries, seconds)
    dialect, queries = DIALECTS[address.kind], query_set_of(topics, **(reading or {}))
    template = _template(dialect, request, field, syntax)
    given = None if vectors is None else read_vectors(vectors)
    live = LiveSearch(
        address=address,
        requests=requests_of(queries, queries.texts(parts), template, dialect, given),
        template=template.body,
        id_field=id_field or dialect.id_field,
        extent=extent,
        limits=limits,
        credentials=credentials,
    )
    return live.run(system_name(system, output, address.kind), output, restart, progress)


def _template(dialect: Any, request: Any, field: str | None, syntax: Literal["words", "lucene"]) -> Any:
    from rankscope.engines.live.template import RequestTemplate

    if request is None:
        return RequestTemplate(dialect.usual_request(field, syntax), dropped=dialect.dropped)
    if field is not None:
        usage = setting_usage("request", "FILE.json")
        raise SettingError(f"{setting_usage('field')}: fields stand in the request that {usage} gives")
    return RequestTemplate.read(request, dialect.dropped)
