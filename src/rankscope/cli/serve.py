"""`rankscope serve`: indexes of texts over HTTP, as Solr and OpenSearch answer."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input

MOST_PORT = 65535


@click.command("serve", cls=GuardedCommand, short_help="Search over HTTP, as Solr and OpenSearch answer.")
@click.argument("more", nargs=-1, type=Input(), metavar="[INDEX]...")
@click.option(
    "--index",
    "indexes",
    multiple=True,
    type=Input(),
    metavar="INDEX...",
    help="Serve the index in this folder under the folder's name without .index, or as NAME=FOLDER says.",
)
@click.option(
    "--port",
    type=click.IntRange(0, MOST_PORT),
    default=8384,
    show_default=True,
    help="Where it listens; 0 chooses a port that is free.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address of this machine at which it can be reached."
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="Answer too where requests call this machine so; all other names are refused.",
)
@click.option(
    "--similarity", default="bm25", show_default=True, metavar="NAME", help="How documents are scored, as of search."
)
@click.option("--quiet", is_flag=True, help="Say nothing but warnings.")
def command(more: tuple[str, ...], indexes: tuple[str, ...], quiet: bool, **given: Any) -> None:
    """Search indexes over HTTP: clients of Solr and of OpenSearch work unchanged, and can only read.

    \b
    rankscope serve --index docs.index
    curl 'http://127.0.0.1:8384/solr/docs/select?q=fox&hl=true'
    curl 'http://127.0.0.1:8384/docs/_search?q=fox'

    Ctrl-C ends it. It needs the extra web: pip install 'rankscope[web]'.
    """
    from rankscope.cli.output import say
    from rankscope.errors import SettingError

    if not indexes:
        raise SettingError("name an index to serve: rankscope serve --index INDEX")
    from rankscope.workbench.service import serve

    def tell(line: str) -> None:
        if not quiet or line.startswith("!"):
            say(line)

    serve([*indexes, *more], say=tell, **given)
    if not quiet:
        say("ended")
