"""`rankscope project`: collections that people judge, from the command line.

Its commands `questionnaire` and `times` say how people got on with the judging.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.judgements import show_agreement_in_project
from rankscope.commands.line.options import level_option, options, table_or_json_option
from rankscope.commands.line.output import chosen_format, print_result, say, write_text
from rankscope.core.errors import InputError, SettingError
from rankscope.core.settings import LEVEL
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


DATABASE = click.option(
    "--database",
    metavar="ADDRESS",
    help="Where the journal is in PostgreSQL: postgresql://USER@HOST/NAME or service=NAME. The password comes from "
    "PGPASSWORD or a passfile.",
)

with_usability_options = options(
    click.argument("folder", type=Input(), metavar="FOLDER"),
    click.option(
        "-o",
        "--output",
        type=OutputFile(),
        metavar="FILE",
        help="Write it there: .txt, .json or .csv. Default: print it.",
    ),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json", "csv"]),
        help="Format of the result. Default: as the name of the file says, else text.",
    ),
    click.option("--names", is_flag=True, help="Name the people; else they are numbered."),
    DATABASE,
)


@click.command("questionnaire", cls=GuardedCommand, short_help="How people find the judging: SUS scores.")
@with_usability_options
def questionnaire(**given: Any) -> None:
    """What people answered in the page /questionnaire: the System Usability Scale, 0 to 100, more is better.

    The mean over people has a t interval. The last answers of a person to a task count. Statements are listed by what
    they add, so that you see where the trouble is.

    \b
    rankscope project questionnaire judging
    rankscope project questionnaire judging -o answers.csv
    """
    from rankscope.workbench.usability import QUESTIONNAIRE

    _show_usability(QUESTIONNAIRE, **given)


@click.command("times", cls=GuardedCommand, short_help="How long judgements and searches took.")
@with_usability_options
def times(**given: Any) -> None:
    """How long judgements took, by person and by query, and how long feedback sessions did.

    The time of a judgement is how long its item was visible before the mark, as the page measured it, five minutes at
    most.

    \b
    rankscope project times judging
    rankscope project times judging --names --format json
    """
    from rankscope.workbench.usability import TIMES

    _show_usability(TIMES, **given)


def _show_usability(
    formats: Mapping[str, Callable[..., str]],
    folder: str,
    output: str | None,
    output_format: str | None,
    names: bool,
    database: str | None,
) -> None:
    from rankscope.workbench.project import Project
    from rankscope.workbench.usability import REPORT_FORMATS

    chosen = chosen_format(output, output_format, REPORT_FORMATS, "text")
    with Project.open(folder, database=database, readonly=True) as project:
        text = formats[chosen](project, names)
    write_text(text, output)


QUIET = click.option("--quiet", is_flag=True, help="No messages, only errors.")


@click.group("project", short_help="Collections that people judge.")
def project_command() -> None:
    """Collections that people judge: made here, judged in the pages of `rankscope serve`, exported here.

    \b
    rankscope project new judging --texts docs.jsonl --topics queries.tsv --runs bm25.run --runs dense.run
    rankscope project pool judging --method 'depth(20)'
    rankscope project invite judging Ann
    rankscope project export judging -o qrels.txt

    A project is a folder: project.toml, which you may edit, and judgements.db with everything that anybody said.
    """


@project_command.command("new", cls=GuardedCommand, short_help="Make a project.")
@click.argument("folder", type=OutputFolder(), metavar="FOLDER")
@click.option("--images", type=Input(), metavar="DIR", help="The collection is a folder of pictures.")
@click.option("--texts", type=Input(), metavar="FILE", help="The collection is a file or folder of documents.")
@click.option("--features", type=Input(), multiple=True, metavar="FILE", help="Vectors of the items. Repeat it.")
@click.option("--runs", type=Input(), multiple=True, metavar="RUN", help="Rankings to draw pools from. Repeat it.")
@click.option("--topics", type=Input(), metavar="FILE", help="What is looked for. Default: what the runs ask.")
@click.option("--grades", default="0,1,2", show_default=True, metavar="LIST", help="Grades to choose from, 0 to 9.")
@click.option("--index", type=Input(), metavar="INDEX", help="Index of the texts, for searching by words.")
@DATABASE
@QUIET
def new(folder: str, grades: str, quiet: bool, **given: Any) -> None:
    """Make a project in FOLDER.

    Pictures, documents, features and runs are read where they are and never changed. Everything that is wrong with them
    is told at once, and then nothing is made.

    \b
    rankscope project new photos --images pictures/ --features pictures.npz
    rankscope project new judging --texts docs.jsonl --topics queries.tsv --runs bm25.run --runs dense.run
    """
    from rankscope.workbench.project import Project

    parts = [part.strip() for part in grades.split(",")]
    numbers: list[Any] = [int(part) if part.isdecimal() else part for part in parts]  # a text is refused by name
    with Project.new(folder, grades=numbers, **given) as project:
        counts = f"{how_many(len(project.items), 'items')}, {how_many(len(project.queries), 'queries')}"
        _say(quiet, f"{folder}: {counts}, {how_many(len(project.sources.runs), 'runs')}")
        if project.sources.runs and project.queries:
            elsewhere = ["--database", given["database"]] if given["database"] else []
            step = ["rankscope", "project", "pool", folder, "--method", "depth(20)", *elsewhere]
            _say(quiet, f"Next: {shlex.join(step)}")


@project_command.command("pool", cls=GuardedCommand, short_help="Freeze what is to be judged.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option(
    "--method",
    required=True,
    metavar="POOL",
    help="depth(20), mtf(100), bandit(100), sample(1-10:all, 11-100:20%, 101-1000:5%), decide(10), or a sum with +.",
)
@click.option("--budget", type=int, metavar="N", help="mtf and bandit stop when N items of a query are judged.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample.")
@DATABASE
@QUIET
def pool(folder: str, method: str, budget: int | None, seed: int, database: str | None, quiet: bool) -> None:
    """Freeze what is to be judged of the project's runs; the pool is numbered, and used from now on.

    \b
    depth(k)       the first k items of every run
    mtf(k)         move to front: stays with a run while it brings relevant items
    bandit(k)      goes on with the run that has the best record
    sample(BANDS)  a random sample of bands of ranks, with known probabilities
    decide(k)      what decides between the first two runs by P@k, until it is decided
    A + B          first A, then B from what is left; a sample comes last

    mtf and bandit alone give no probabilities, so nothing can be estimated from them: add a sample.
    """
    with _opened(folder, database, quiet) as project:
        made = project.make_pool(method, budget=budget, seed=seed)
        drawn = sum(bool(row.drawn) for row in made.rows)
        later = f", {len(made.rows) - drawn:,} to choose from" if made.plan.is_adaptive else ""
        certain = "" if made.plan.is_adaptive and not drawn else f", {drawn:,} to judge"
        _say(
            quiet, f"pool {made.design.version}: {made.plan}, {how_many(len(made.by_query), 'queries')}{certain}{later}"
        )
        _say(quiet, f"digest {made.design.digest}")


@project_command.command("invite", cls=GuardedCommand, short_help="Let somebody judge.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.argument("name", metavar="NAME")
@click.option(
    "--role",
    type=click.Choice(["judge", "adjudicator", "admin"]),
    default="judge",
    show_default=True,
    help="What they may open and do.",
)
@click.option("--revoke", is_flag=True, help="Let them in no more; their marks stay.")
@click.option(
    "--address", default="http://127.0.0.1:8384", show_default=True, metavar="URL", help="Where the pages are served."
)
@DATABASE
@QUIET
def invite(folder: str, name: str, role: str, revoke: bool, address: str, database: str | None, quiet: bool) -> None:
    """Print the link that lets NAME in. It is shown once and kept nowhere; inviting NAME again ends it."""
    with _opened(folder, database, quiet) as project:
        if revoke:
            project.revoke(name)
            _say(quiet, f"{name} is let in no more")
            return
        invited = project.invite(name, role)
    print_result(f"{address.rstrip('/')}{invited.path}\n")


@project_command.command("guideline", cls=GuardedCommand, short_help="What assessors are told.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.argument("file", type=Input(), metavar="FILE")
@DATABASE
@QUIET
def guideline(folder: str, file: str, database: str | None, quiet: bool) -> None:
    """Give assessors the text in FILE as their guideline; every mark carries the version it was made under."""
    text = _text_of(file)
    with _opened(folder, database, quiet) as project:
        _say(quiet, f"guideline {project.add_guideline(text).version}")


@project_command.command("import", cls=GuardedCommand, short_help="Labels, or a whole journal.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.argument("labels", type=Input(), metavar="LABELS")
@click.option("--assessor", metavar="NAME", help="Whose labels they are.")
@click.option(
    "--kind",
    type=click.Choice(["human", "machine"]),
    default="human",
    show_default=True,
    help="Who made them. Labels of a machine are exported only where it is named.",
)
@click.option(
    "--tuned-on",
    type=Input(),
    metavar="FILE",
    help="Queries that the machine was tuned on, each in a line: no estimate may use its labels there.",
)
@DATABASE
@QUIET
def import_(
    folder: str, labels: str, assessor: str | None, kind: str, tuned_on: str | None, database: str | None, quiet: bool
) -> None:
    """Bring labels into a project: qrels, a table with query, item and grade, or a journal of `project export`.

    What is there already does not come in twice. What does not fit the project is told whole, and nothing comes in. The
    columns probability, model and prompt of a machine's table are kept too.

    \b
    rankscope project import judging old-qrels.txt --assessor Ann
    rankscope project import judging model.jsonl --assessor model --kind machine
    rankscope project import judging journal.jsonl
    """
    from rankscope.workbench.journal_files import is_journal

    whole = is_journal(labels)
    if not whole and assessor is None:
        raise SettingError("whose labels are they? Give --assessor NAME")
    with _opened(folder, database, quiet) as project:
        if whole:
            _say(quiet, f"{project.import_journal(labels):,} new events; journal {project.journal_digest}")
            return
        tuned = list(filter(None, map(str.strip, _text_of(tuned_on).splitlines()))) if tuned_on else []
        done = project.import_labels(labels, str(assessor), kind, tuned_on=tuned)
    left = f", {done.unjudged:,} not judged and left out" if done.unjudged else ""
    _say(quiet, f"{how_many(done.labels, 'labels')} of {assessor}, {done.new:,} of them new{left}")


@project_command.command("export", cls=GuardedCommand, short_help="Judgements with their provenance.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option(
    "-o",
    "--output",
    type=OutputFile("judgements", "a run or judgements", "a table that rankscope did not write"),
    metavar="FILE",
    help="Qrels; a table with all columns where the name ends in .parquet.",
)
@click.option("--journal", type=OutputFile(), metavar="FILE", help="The whole journal as JSON lines, with names.")
@click.option(
    "--log",
    type=OutputFile(),
    metavar="FILE",
    help="What was marked in sessions of feedback (session, item, mark), as .csv, .tsv or .jsonl: rankscope feedback "
    "--log FILE learns from it.",
)
@click.option("--assessor", metavar="NAME", help="Only the grades of NAME, who may be a machine.")
@click.option(
    "--merge",
    default="majority",
    show_default=True,
    metavar="RULE",
    help="How several grades become one: majority, median, any (the highest), all (the lowest), equal (open where they "
    "differ) or 'weighted(ann=2, bob=1)'. What an adjudicator says comes first.",
)
@click.option(
    "--open",
    "open_pairs",
    type=click.Choice(["lower", "higher", "leave-out"]),
    help="What becomes of pairs that the rule does not decide; else they are listed and nothing is written.",
)
@click.option("--probabilities", is_flag=True, help="A fifth column with the inclusion probability of each pair.")
@click.option("--names", is_flag=True, help="Name the assessors in the provenance; else they are numbered.")
@DATABASE
@QUIET
def export(
    folder: str,
    output: str | None,
    journal: str | None,
    log: str | None,
    database: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Write the judgements, and FILE.provenance.json, which says where every grade comes from.

    A pair that is pooled and not judged has the grade -1. Where assessors differ, an adjudicator decides, else a rule;
    pairs that stay open are listed and nothing is written. It works while people judge.

    \b
    rankscope project export judging -o qrels.txt
    rankscope project export judging --journal journal.jsonl
    rankscope project export judging --log log.csv
    """
    from rankscope.workbench.project import Project

    if output is None and journal is None and log is None:
        raise SettingError(
            "nothing to write: give -o FILE for the judgements, --journal FILE for everything, or --log FILE for what "
            "was marked in sessions of feedback"
        )
    with Project.open(folder, database=database, readonly=True) as project:
        for note in project.notes:
            _say(quiet, f"! {note}")
        if output is not None:
            done = project.export(output, **given)
            left = f", {done.left_out:,} judged but not drawn and left out" if done.left_out else ""
            left += f", {done.open:,} open and left out" if done.open else ""
            _say(quiet, f"{output}: {done.judged:,} judged, {done.unjudged:,} pooled and not judged{left}")
        if journal is not None:
            digest = project.export_journal(journal)
            _say(quiet, f"{journal}: {project.state.last:,} events, {digest}")
        if log is not None:
            _say(quiet, f"{log}: marks of {how_many(project.export_log(log), 'sessions')}")


@project_command.command("agreement", cls=GuardedCommand, short_help="How far do the assessors agree?")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option(
    "--runs", type=Input(), multiple=True, metavar="RUN", help="Systems to put in order; else the project's own."
)
@click.option("-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems.")
@level_option(LEVEL)
@table_or_json_option
@DATABASE
def agreement(folder: str, runs: tuple[str, ...], measure: str, **given: Any) -> None:
    """How far do the assessors of a project agree, with each other, with machines, and with themselves?

    By class where queries have classes; and how the order of the project's runs changes with who judges. It works while
    people judge.
    """
    show_agreement_in_project(folder, runs, measure, **given)


@project_command.command("backup", cls=GuardedCommand, short_help="A copy of judgements.db.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option("-o", "--output", required=True, type=OutputFile(), metavar="FILE", help="The copy; a new file.")
@QUIET
def backup(folder: str, output: str, quiet: bool) -> None:
    """Copy judgements.db as it is at one moment, also while people judge."""
    from rankscope.workbench.project import Project

    with Project.open(folder, readonly=True) as project:
        project.backup(output)
        _say(quiet, f"{output}: {project.state.last:,} events")


@project_command.command("check", cls=GuardedCommand, short_help="Is the journal as it was written?")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option("--journal", type=OutputFile(), metavar="FILE", help="Write the events before a break as a journal.")
@DATABASE
@QUIET
def check(folder: str, journal: str | None, database: str | None, quiet: bool) -> None:
    """Is the journal as it was written? Each event follows from the one before, and none that was acknowledged is lost.

    Damage is told with its place and ends with 2. --journal FILE writes what is whole, for a new project of the same
    collection. It works while people judge.

    \b
    rankscope project check judging
    rankscope project check judging --journal whole.jsonl
    """
    from rankscope.workbench.project import Project

    with Project.open(folder, database=database, readonly=True, lenient=True) as project:
        problems, events = project.damage(), how_many(project.state.last, "events")
        if journal is not None:
            _say(quiet, f"{journal}: {events}, {project.export_journal(journal)}")
        for note in project.notes:
            _say(quiet, f"! {note}")
        unchecked = bool(project.notes)
    if problems:
        what = f"{events} are whole"
        advice = f"{what}; --journal FILE writes them, and rankscope project import brings them into a new project."
        raise InputError.of(folder, problems, advice if journal is None else f"{what}, and stand in {journal}.")
    _say(quiet, f"{folder}: {events}{' can be read' if unchecked else ', all as they were written'}")


for _each in (questionnaire, times):
    project_command.add_command(_each)


def _opened(folder: str, database: str | None, quiet: bool) -> Project:
    """A project to change, and what was found when it was opened."""
    from rankscope.workbench.project import Project

    project = Project.open(folder, database=database)
    for note in project.notes:
        _say(quiet, f"! {note}")
    return project


def _text_of(file: str) -> str:
    """A whole file of text; an `InputError` where it is none."""
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.sources import Source
    from rankscope.inputs.texts import whole_utf8

    source = Source.of(file)
    problems = Problems(source.name)
    text = whole_utf8(source, "utf-8", problems).decode()
    problems.raise_if_any()
    return text


def _say(quiet: bool, text: str) -> None:
    if not quiet:
        say(text)
