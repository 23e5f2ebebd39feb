"""`rankscope serve`: a project to look at and to judge, and indexes of texts as Solr and OpenSearch answer."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input
from rankscope.commands.line.output import say
from rankscope.core.caching import WEB_MODULES, need_extras
from rankscope.core.errors import SettingError

MOST_PORT = 65535
PROJECT_ONLY = ("database", "behind_proxy", "certificate", "certificate_key", "rate")


@click.command("serve", cls=GuardedCommand, short_help="Judge in a browser; search over HTTP.")
@click.argument("places", nargs=-1, type=Input(), metavar="[FOLDER]")
@click.option(
    "--index",
    "indexes",
    multiple=True,
    type=Input(),
    metavar="INDEX...",
    help="Serve the index in this folder under the folder's name without .index, or as NAME=FOLDER says.",
)
@click.option("--demo", is_flag=True, help="Serve the icons that ship with rankscope, with a small pool to judge.")
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
    "--database",
    metavar="ADDRESS",
    help="Where the project's journal is, if project.toml does not say it: postgresql://USER@HOST/NAME or "
    "service=NAME, with the password in PGPASSWORD or a passfile.",
)
@click.option(
    "--behind-proxy",
    metavar="URL",
    help="The address that people open, as https://judging.example.org, where a proxy encrypts and hands on to us.",
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Believe this proxy, or those of a network (10.0.0.0/24), who it asks for. Default: this machine.",
)
@click.option("--certificate", type=Input(), metavar="FILE", help="Encrypt with this certificate (PEM).")
@click.option("--certificate-key", type=Input(), metavar="FILE", help="The private key of the certificate (PEM).")
@click.option("--rate", type=float, metavar="N", help="Take so many changes a second from one person. Default 20.")
@click.option(
    "--similarity", default="bm25", show_default=True, metavar="NAME", help="How documents are scored, as of search."
)
@click.option("--quiet", is_flag=True, help="Say nothing but warnings and the link that lets you in.")
def serve_command(places: tuple[str, ...], indexes: tuple[str, ...], demo: bool, quiet: bool, **given: Any) -> None:
    """Serve a project: people judge in a browser, and programs get the same as JSON; or indexes, for searching.

    \b
    rankscope serve --demo
    rankscope serve FOLDER
    rankscope serve --index docs.index
    curl 'http://127.0.0.1:8384/solr/docs/select?q=fox&hl=true'

    Indexes answer as Solr and OpenSearch do, and can only be read; with a project they want its tokens. Ctrl-C ends
    it. It needs the extra web, for pictures images too, and for PostgreSQL team.
    """

    def tell(line: str) -> None:
        if not quiet or line.startswith(("!", "open ")):
            say(line)

    folder, more = _project_and_indexes(places, indexes, demo)
    if demo or folder is not None:
        _serve_project(folder, [*indexes, *more], demo, tell, given)
    else:
        from rankscope.workbench.service import serve

        foreign = [f"--{name.replace('_', '-')}" for name in PROJECT_ONLY if given.pop(name) is not None]
        if foreign:
            raise SettingError(
                f"{', '.join(foreign)}: only with a project; indexes alone are served to whoever reaches them"
            )
        serve([*indexes, *more], say=tell, **given)
    if not quiet:
        say("ended")


def _project_and_indexes(
    places: tuple[str, ...], indexes: tuple[str, ...], demo: bool
) -> tuple[str | None, tuple[str, ...]]:
    """Which of the places is a project; behind --index the others are indexes too."""
    projects = [each for each in places if demo or not indexes or (Path(each) / "project.toml").is_file()]
    if not (places or indexes or demo):
        raise SettingError("say what to serve: rankscope serve FOLDER, rankscope serve --index INDEX, or --demo")
    if len(projects) > 1:
        raise SettingError(f"one project is served at a time, got {', '.join(projects)}; name indexes behind --index")
    return projects[0] if projects else None, tuple(each for each in places if each not in projects)


def _serve_project(folder: str | None, indexes: list[str], demo: bool, tell: Any, given: dict[str, Any]) -> None:
    from rankscope.workbench.project import Project
    from rankscope.workbench.project_folder import ProjectFile

    file = None if demo else ProjectFile.read(Path(folder or ""))
    pictures = demo or (file is not None and file.images is not None)
    postgresql = file is not None and (given["database"] or file.database) is not None
    need_extras(*WEB_MODULES, *(["PIL"] if pictures else []), *(["psycopg"] if postgresql else []))
    from rankscope.workbench.serving import Exposure, demo_folder, serve_project

    database, similarity = given.pop("database"), given.pop("similarity")
    exposure = Exposure(**{name: value for name, value in given.items() if value is not None})
    with ExitStack() as opened:
        if demo:
            from rankscope.workbench.serving import demo_project

            project = opened.enter_context(demo_project(opened.enter_context(demo_folder(folder))))
            if folder is None:
                tell("the demo lies in a temporary folder and is gone when it ends: --demo FOLDER keeps it")
        else:
            project = opened.enter_context(Project.open(folder or "", database=database))
        serve_project(project, exposure, indexes=indexes, similarity=similarity, say=tell)
