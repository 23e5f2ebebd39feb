"""`rankscope users`: simulated users, and whether they can stand for people."""

from __future__ import annotations

from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.output import print_result


@click.group("users", short_help="Can a simulated user stand for people?")
def users_command() -> None:
    """Simulated users of feedback studies: which there are, and whether they can stand for people.

    \b
    rankscope users list
    rankscope users score journal.jsonl --user 'noisy(0.1)'
    rankscope users score journal.jsonl --user 'command(python judge.py)' -o judge.json
    rankscope feedback photos.npz efficiency --user-score judge.json
    """


@users_command.command("list", cls=GuardedCommand, short_help="Which users there are.")
def listing() -> None:
    """Name and meaning of every simulated user, those of other packages (entry points rankscope.users) last."""
    from rankscope.feedback.users.users import USERS

    rows = [(USERS.show(name), about) for name, about in USERS.listing()]
    width = max(len(name) for name, _ in rows)
    print_result("".join(f"{name:<{width}}  {about}\n" for name, about in rows))


@users_command.command("score", cls=GuardedCommand, short_help="Errors and consistency of a user, against people.")
@click.argument("reference", type=Input(), metavar="JOURNAL|PROJECT|QRELS")
@click.option(
    "--user",
    metavar="KIND",
    help="Who is scored: consistent, noisy(EPS_POS, EPS_NEG), lazy(Q), partial(THETA), command(PROGRAM), or a user of "
    "another package.",
)
@click.option("--assessor", metavar="NAME", help="Score somebody who marked in the journal, against all others.")
@click.option(
    "--rel",
    type=click.FloatRange(0, min_open=True),
    metavar="GRADE",
    help="Count items as relevant from this grade on. Default: as the project has it, else 1.",
)
@click.option(
    "--scope", default=20, show_default=True, type=click.IntRange(1), help="Number of items shown to the user at once."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of every random choice."
)
@click.option(
    "-o", "--output", type=OutputFile(), metavar="NAME.json", help="Write the score for `feedback --user-score`."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Format of what is printed.",
)
def score(reference: str, output: str | None, output_format: str, **given: Any) -> None:
    """How often does a user err, what does he pick of half relevant items, and does he say the same again?

    JOURNAL is what `rankscope project export FOLDER --journal` writes, PROJECT the folder of a project, QRELS a file
    of judgements. The user is shown what people have judged, twice, and what he says is compared with what they agree
    on. A program is started once and asked one line of JSON for each display; it never sees the grades.

    \b
    rankscope users score journal.jsonl --user 'command(python judge.py)'
    rankscope users score judging/ --assessor Ann --rel 2
    rankscope users score qrels.txt --user 'partial(0.5)' --rel 2 -o partial.json
    """
    from rankscope.commands.users import score_user
    from rankscope.core.rendering import as_json
    from rankscope.feedback.users.user_score import user_score_text

    if output is not None and not output.endswith(".json"):
        raise click.UsageError(f"the score is written as NAME.json, got '{output}'")
    done = score_user(reference, **given)
    print_result(user_score_text(done) if output_format == "table" else as_json(done.json()))
    if output is not None:
        from rankscope.core.files import atomic

        with atomic(output) as file:
            file.write(as_json(done.json()))
