"""`rankscope feedback`: simulated users, feedback methods, and which learns what the user wants.

With --pack a benchmark pack that anybody can run and cite; with a QUESTION the command of that question, which stands
in the file of questions. Studies and questions share the options for what users look for, and among what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rankscope.commands.defaults import METHODS, TEXT_METHODS
from rankscope.commands.line.command import GroupedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.options import label_options, measure_option, on_option, options
from rankscope.commands.line.output import print_result, progress_line, say
from rankscope.core.catalogue import Catalogue
from rankscope.core.errors import SettingError
from rankscope.core.file_guard import check_target
from rankscope.core.names import RANKS_SUFFIX, file_names
from rankscope.core.wording import how_many

# Options that a feedback study and the questions about it share: what users look for, and among what.

PROBLEM_NAMES = ("topics", "qrels", "rel", "also", "groups", "scaling", "log", "similarity", "field", "parts")
LABEL_NAMES = ("labels", "separator", "label_column", "id_column")


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers separated by commas, whole ones where the kind is `int`."""

    def __init__(self, kind: type[int] | type[float], least: float) -> None:
        self.kind, self.least = kind, least
        self.name = "N,N,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """All of them; one that is none is an error."""
        if not isinstance(value, str):
            return tuple(value)
        try:
            numbers = tuple(self.kind(part) for part in value.split(",") if part.strip())
        except ValueError:
            numbers = ()
        if not numbers or min(numbers) < self.least:
            what = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{what} of at least {self.least:g}, separated by commas, are needed, got '{value}'", param, ctx)
        return numbers


METHODS_OPTION = click.option(
    "--methods",
    multiple=True,
    metavar="NAMES",
    help="Methods to compare, such as 'rocchio(gamma=0.25),svm'; repeat it or separate by commas; 'all' for every one."
    f" Default: {', '.join(METHODS)}; of an index {', '.join(TEXT_METHODS)}.",
)
problem_options = options(  # what users look for, and among what
    click.option(
        "--topics",
        multiple=True,
        type=Input(),
        metavar="TEXTS",
        help="What users look for: labels, or 'flower and red and not sky'; with --qrels names of its topics; of an "
        "index a file of topics. Default: every one of two items or more.",
    ),
    click.option(
        "--qrels",
        multiple=True,
        type=Input(),
        metavar="FILE",
        help="Judgements (topic 0 item grade) in place of labels; once for each assessor, a file each. An index needs "
        "them.",
    ),
    click.option(
        "--rel",
        type=click.FloatRange(0, min_open=True),
        default=1,
        show_default=True,
        metavar="GRADE",
        help="With --qrels: count items as relevant from this grade on; a lower one is worth its share of it.",
    ),
    click.option(
        "--similarity",
        default="bm25",
        show_default=True,
        metavar="NAME",
        help="How documents of an index are scored, as of search.",
    ),
    click.option(
        "--field", metavar="NAME", help="Field of an index that words are looked up in. Default: as of search."
    ),
    click.option(
        "--parts", metavar="NAMES", help="Parts of the topics to ask with, as title+desc. Default: the title."
    ),
    click.option(
        "--also",
        multiple=True,
        type=Input(),
        metavar="FEATURES",
        help="Further features of the same items; each file is a group of features of its own. Repeat it.",
    ),
    click.option(
        "--groups",
        type=Numbers(int, 1),
        help="How many features each group has, in order, for methods that weigh groups (mars, opt-rf).",
    ),
    click.option(
        "--scaling",
        type=click.Choice(["none", "standardise", "l2"]),
        default="none",
        show_default=True,
        help="How features are scaled before methods see them.",
    ),
    click.option(
        "--log",
        type=Input(),
        metavar="FILE",
        help="Marks of earlier sessions (columns session, item and mark: 1 or -1; .csv, .tsv, .jsonl or .parquet), for"
        " methods that learn from a log (log-based-svm, kernel-updating, semantic-space, semantic-network, "
        "long-term-grouping).",
    ),
    label_options,
)


def problem_choices(given: dict[str, Any]) -> dict[str, Any]:
    """What `problem_options` left among the keywords of a command, taken out of them, as `problem_of` takes it."""
    choices = {name: given.pop(name) for name in (*PROBLEM_NAMES, *LABEL_NAMES)}
    return choices | {"qrels": list(choices["qrels"]) or None}


SESSION_OPTIONS = ("starts", "rounds", "scope", "start", "user", "unjudged", "k_pos", "k_neg", "choice", "display")
FEEDBACK_SECTIONS = {
    "Results": ("output", "report", "keep_ranks", "keep_sessions", "replay", "baselines", "quiet"),
    "What users look for, and among what": ("methods", *PROBLEM_NAMES, *LABEL_NAMES),
    "How a session goes": (*SESSION_OPTIONS, "show_seen", "remember"),
    "What decides": ("scored", "measures"),
}
PROTOCOL_OPTIONS = (
    "scope",
    "rounds",
    "k_pos",
    "k_neg",
    "choice",
    "display",
    "show_seen",
    "remember",
    "scored",
    "unjudged",
)


class FeedbackCommand(GroupedCommand):
    """The study, or where a question is named the command of that question with its own options."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the question that is asked, else of the study.

        A word that is a question may be the value of an option too: then the study reads it as no question.
        """
        from rankscope.commands.line.feedback_questions import names_of_questions, question_command

        if names_a_pack(args):
            return pack_command().make_context(info_name, [*args], parent, **extra)
        refused: click.UsageError | None = None
        named = names_of_questions(args)
        for name in named:
            try:
                context = question_command(name).make_context(info_name, [*args], parent, **extra)
            except click.UsageError as error:
                refused = refused or error
                continue
            if str(context.params["question"]).lower() == name:
                return context
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            raise refused or error from None
        if refused is not None and str(context.params["question"]).lower() in named:
            raise refused
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """By the command that read the options."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The questions, one line each."""
        from rankscope.commands.line.feedback_questions import ABOUT_QUESTIONS

        with formatter.section("Questions (rankscope feedback QUESTION --help has the options of each)"):
            formatter.write_dl([*ABOUT_QUESTIONS.items()])
        with formatter.section("Benchmark packs (rankscope feedback --pack NAME --help has their options)"):
            formatter.write_dl([("--list-packs", "studies that anybody can run and cite"), ("--pack NAME", "run one")])


@click.command(
    "feedback",
    cls=FeedbackCommand,
    sections=FEEDBACK_SECTIONS,
    short_help="Which feedback method learns fastest, with simulated users?",
    former={"--processes": "--on processes:N", "--memory": "--remember"},
)
@click.argument("features", type=Input(), metavar="FEATURES|INDEX")
@click.argument("question", required=False, metavar="[QUESTION]")
@click.option(
    "-o",
    "--output",
    type=OutputFile("a feedback study", makes_folder=True),
    metavar="NAME.parquet",
    help="Write the results here, one row for each session and round; a study needs it.",
)
@click.option(
    "--report",
    type=OutputFile(),
    metavar="NAME.html",
    help="Write a page with graphs, efficiency and response times too; baselines and efficiencies go into "
    "NAME.baselines.json next to the results.",
)
@click.option(
    "--baselines",
    type=Input(),
    metavar="FILE",
    help="With --report: baselines of an earlier study, used again or replaced by better ones; its results are "
    "re-calibrated.",
)
@METHODS_OPTION
@problem_options
@click.option(
    "--starts",
    type=click.IntRange(1),
    metavar="N",
    help="Number of sessions for each topic. Default: 10; 1 where all would be alike.",
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(0), help="Number of rounds of feedback.")
@click.option(
    "--scope", default=20, show_default=True, type=click.IntRange(1), help="Number of items shown in each round."
)
@click.option(
    "--start",
    type=Input(),
    metavar="KIND",
    help="How a session begins: one_query, random_display, examples(POSITIVES, NEGATIVES), a run file (a keyword "
    "search whose queries are the topics), or, of an index, words: the engine's own ranking. Default: one_query; of an "
    "index words.",
)
@click.option(
    "--user",
    default="consistent",
    show_default=True,
    metavar="KIND",
    help="How users judge: consistent, noisy(EPS_POS, EPS_NEG), lazy(Q), partial(THETA), command(PROGRAM), or a user "
    "of another package; `rankscope users list` shows all.",
)
@click.option(
    "--list",
    "scored",
    type=click.Choice(["frozen", "split", "full", "residual"]),
    default="frozen",
    show_default=True,
    help="Scored: what was seen in its place, then the rest; the half no feedback came from; all; without what was seen"
    " (two methods are compared on what neither has shown, more not at all).",
)
@measure_option(
    help="Measures of the scored list; the first decides, cumulative recall is secondary. Default: AP, Rprec and Estar."
)
@click.option(
    "--k-pos", type=click.IntRange(0), metavar="N", help="Mark at most N items as relevant in a round. Default: all."
)
@click.option(
    "--k-neg",
    type=click.IntRange(0),
    metavar="N",
    help="Mark at most N items as irrelevant; 0: positives only. Default: all.",
)
@click.option(
    "--choice",
    type=click.Choice(["top_ranked", "random"]),
    default="top_ranked",
    show_default=True,
    help="Which items are marked, where --k-pos or --k-neg limits them.",
)
@click.option(
    "--display",
    type=click.Choice(["best", "informative"]),
    default="best",
    show_default=True,
    help="What is shown: the top of the ranking, or what the method wants to know.",
)
@click.option("--show-seen", is_flag=True, help="Items already seen may be shown again.")
@click.option(
    "--remember",
    type=click.Choice(["accumulate", "latest", "deletions"]),
    default="accumulate",
    show_default=True,
    help="Which examples count: all, those of the last round, or all but those the user takes back.",
)
@click.option(
    "--unjudged",
    type=click.Choice(["silent", "irrelevant"]),
    default="silent",
    show_default=True,
    help="With --qrels: users say nothing of an item that nobody has judged, or take it for irrelevant.",
)
@click.option(
    "--keep-ranks",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write the rankings of the last round, one file for each method compared: rankscope compare "
    "FOLDER/*.parquet gives the"
    " verdict of the study. Controls go into FOLDER/controls.",
)
@click.option(
    "--keep-sessions",
    type=OutputFile(),
    metavar="NAME.parquet",
    help="Write what each session began with, every display and every mark, one row for each session and round.",
)
@click.option(
    "--replay",
    type=Input(),
    metavar="NAME.parquet",
    help="Take starts and marks from sessions that were kept; stops where a method shows another display.",
)
@on_option("as many processes as there are cores, once there is enough to do")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of every random choice."
)
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def feedback_command(
    features: str,
    question: str | None,
    output: str,
    report: str | None,
    baselines: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    FEATURES is .npz (arrays features, labels, ids), .npy (with --labels), Parquet, or the name of a collection that
    comes with vectors (digits). INDEX is the folder of an index of texts: methods on words (text-rm3, text-rocchio)
    and on vectors of latent semantic indexing learn from the same marks. Interrupted work continues when the same
    command is run again. Controls always go with the methods: no feedback, random order, a classifier that knows all
    labels, the ideal. A QUESTION is answered in place of a study.

    \b
    rankscope feedback digits --methods rocchio,svm --topics 3,5,8 -o digits.parquet
    rankscope feedback clip.npz --user 'noisy(0.1)' --report clip.html -o clip.parquet
    rankscope feedback docs.index --topics queries.tsv --qrels qrels.txt --methods text-rm3,text-rocchio -o docs.parquet
    rankscope feedback digits convergence --methods svm,rocchio
    """
    from rankscope.core.runners import runner_of
    from rankscope.feedback.study.findings import study_text
    from rankscope.feedback.study.study import load_sessions, study

    output = _needed_output(question, output)
    _check_names(output, report, baselines)
    if given["on"] is not None:
        given["on"] = runner_of(given["on"])  # before a large file is read
    plan = _plan(features, given)
    if given["replay"]:
        plan = plan.replaying(load_sessions(given["replay"]))
    if given["keep_ranks"] and plan.setting.protocol.scored == "residual" and plan.pair is None:
        raise SettingError(
            "residual lists are kept for two methods only, without what either has shown: "
            "for more, --keep-ranks needs --list frozen or --list split"
        )
    with progress_line(quiet) as progress:
        results = study(
            plan,
            result=output,
            on=given["on"],
            progress=None if progress is None else lambda share: progress("sessions", share),
            keep_sessions=given["keep_sessions"],
        )
        if given["keep_ranks"]:
            _keep(plan, results, given["keep_ranks"], progress)
        if report:
            _write_page(results, plan, report, baselines, output, progress)
    if not quiet:
        print_result(study_text(results))
        say(f"{output}: {how_many(results.frame.height, 'rows')}" + (f"; {report}" if report else ""))


def _needed_output(question: str | None, output: str | None) -> str:
    """The file of the results; a word behind the features that is no question is told first."""
    if question is not None:
        from rankscope.commands.line.feedback_questions import ABOUT_QUESTIONS

        raise click.UsageError(Catalogue.of_words("question", ABOUT_QUESTIONS).not_found(question))
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output': where the results of the study go.")
    return output


def _write_page(results: Any, plan: Any, report: str, baselines: str | None, output: str, progress: Any) -> None:
    """The page, and next to the results the baselines and efficiencies that the next study may begin with."""
    from rankscope.feedback.normalization.generalisation import normalised
    from rankscope.feedback.normalization.stored_baselines import load_store, save_baselines
    from rankscope.reports.page.feedback_page import write_study_page

    earlier = None if baselines is None else load_store(baselines)
    told = None if progress is None else lambda share: progress("baselines", share)
    result = normalised(plan, told, earlier)
    write_study_page(results, result, report)
    if result.learnt is not None:
        save_baselines(result.learnt.store.baselines, baselines_beside(output), result.learnt.store.results)


def baselines_beside(output: str) -> str:
    """Where the baselines of a study go.

    >>> baselines_beside("out/digits.parquet")
    'out/digits.baselines.json'
    """
    return f"{output.removesuffix('.parquet')}.baselines.json"


def _check_names(output: str, report: str | None, baselines: str | None) -> None:
    if baselines is not None and report is None:
        raise SettingError("--baselines go with a page: give --report NAME.html, or ask for efficiency alone")
    if report is not None:
        check_target(baselines_beside(output), (None,))

    if not output.endswith(".parquet"):
        raise SettingError(f"the result must be called NAME.parquet, got '{output}'")
    if report is not None and not report.endswith((".html", ".htm")):
        raise SettingError(f"the report must be called NAME.html, got '{report}'")


def _plan(path: str, given: dict[str, Any]) -> Any:
    from rankscope.commands.feedback import methods_of, plan_of, problem_of

    methods = given["methods"] or None
    if methods is not None:
        methods_of(methods)  # before a large file is read
    problem: Any = problem_choices(given)
    return plan_of(
        problem_of(path, **problem),
        methods,
        given["start"],
        given["user"],
        starts=given["starts"],
        measures=given["measures"] or None,
        seed=given["seed"],
        **{name: given[name] for name in PROTOCOL_OPTIONS},
    )


def _keep(plan: Any, results: Any, folder: str, progress: Any) -> None:
    """The rankings that decide, as every other command reads them; of methods that rank alike one file."""
    from pathlib import Path

    from rankscope.core.files import made_folder
    from rankscope.feedback.methods import CONTROLS
    from rankscope.feedback.study.summary import compared_methods
    from rankscope.ranks.storage import save_ranks

    chosen = compared_methods(results)
    kept = [each for each in plan.methods if str(each) in chosen or each.name in CONTROLS]
    names = file_names([str(each) for each in kept])
    for done, (name, method) in enumerate(zip(names, kept, strict=True), start=1):
        where = made_folder(Path(folder, "controls") if method.name in CONTROLS else folder)
        save_ranks(_last_ranks(plan, method), where / f"{name}{RANKS_SUFFIX}")
        if progress is not None:
            progress("rankings", done / len(kept))


def _last_ranks(plan: Any, method: Any) -> Any:
    from rankscope.feedback.study.loop import shared_ranks, simulate_rounds

    if plan.pair is None or method not in plan.pair:
        return simulate_rounds(method, plan.setting, plan.sessions).ranks()
    other = plan.pair[1 - plan.pair.index(method)]
    return shared_ranks((method, other), plan.setting, plan.sessions)


PACK_OPTION, LIST_PACKS_OPTION = "--pack", "--list-packs"
PACK_HELP = """Run a benchmark pack: topics, users, starts, methods and stored baselines that everybody has alike.

A pack runs on the pictures it was made with: those that ship with rankscope, the folder SOURCE, or the folder of their
name in $RANKSCOPE_DATA. With features of another collection as SOURCE its cases run on those, labels as topics, and
efficiencies are shown with the stored ones. Everything goes into a folder; what is finished there is not done again, so
a run that was stopped goes on when the same command is given. A file NAME.toml is a pack too.

\b
rankscope feedback --list-packs
rankscope feedback --pack icons-composite
rankscope feedback photos/corel1k --pack corel-composite --methods 'svm(C=10)' -o corel
rankscope feedback mine.npz --pack corel-composite -o mine
"""


def names_a_pack(args: Sequence[str]) -> bool:
    """Whether a pack is asked for.

    >>> names_a_pack(["--pack=icons-composite"]), names_a_pack(["digits", "-o", "x.parquet"])
    (True, False)
    """
    return any(each in (PACK_OPTION, LIST_PACKS_OPTION) or each.startswith(f"{PACK_OPTION}=") for each in args)


def pack_command() -> GroupedCommand:
    """The command that runs a pack, or lists them."""
    collected = on_option("as many processes as there are cores, once there is enough to do")(lambda **_given: None)
    options = [
        click.Option([PACK_OPTION], metavar="NAME", help="Which pack: a name of --list-packs, or a file NAME.toml."),
        click.Option([LIST_PACKS_OPTION], is_flag=True, help="Show the packs that come with rankscope, and end."),
        click.Option(
            ["-o", "--output"],
            type=OutputFolder(),
            metavar="FOLDER",
            help="Folder of the results: a Parquet file for each case, baselines.json, report.html, report.txt. "
            "Default: the name of the pack.",
        ),
        click.Option(
            ["--methods"],
            multiple=True,
            metavar="NAMES",
            help="Methods to compare with those of the pack; repeat it or separate by commas.",
        ),
        click.Option(
            ["--keep-sessions"],
            is_flag=True,
            help="Write CASE.sessions.parquet for each case: what each session began with, every display and mark.",
        ),
        click.Option(
            ["--topics"],
            multiple=True,
            metavar="TEXTS",
            help="Of another collection: labels, or expressions over labels. Default: every label.",
        ),
    ]
    return GroupedCommand(
        "feedback",
        callback=_run_pack,
        params=[
            click.Argument(["source"], required=False, type=Input(), metavar="[FOLDER|FEATURES]"),
            *options,
            *reversed(getattr(collected, "__click_params__")),  # noqa: B009  (click keeps them under a name of its own)
            click.Option(["--quiet"], is_flag=True, help="No progress and no summary."),
        ],
        help=PACK_HELP,
    )


def _run_pack(
    source: str | None,
    pack: str | None,
    list_packs: bool,
    output: str | None,
    methods: tuple[str, ...],
    topics: tuple[str, ...],
    keep_sessions: bool,
    on: str | None,
    quiet: bool,
    **_: Any,
) -> None:
    from rankscope.feedback.packs.run import pack_list

    if list_packs:
        print_result(pack_list())
        return
    if not pack:
        raise click.UsageError("--pack needs the name of a pack: rankscope feedback --list-packs shows them.")
    from pathlib import Path

    from rankscope.commands.feedback import parts_of, run_pack
    from rankscope.core.files import atomic
    from rankscope.feedback.packs.pack import read_pack
    from rankscope.feedback.packs.run import pack_text
    from rankscope.reports.page.feedback_page import write_pack_page

    folder = Path(output or read_pack(pack).name)
    more = {"topics": list(topics)} if topics else {}
    with progress_line(quiet) as progress:
        result = run_pack(
            pack,
            source,
            output=folder,
            methods=parts_of(methods),
            on=on,
            progress=progress,
            keep_sessions=keep_sessions,
            **more,
        )
        write_pack_page(result, folder / "report.html")
    text = pack_text(result)
    with atomic(folder / "report.txt") as file:
        file.write(text)
    if not quiet:
        print_result(text)
        say(f"{folder}: {how_many(len(result.cases), 'cases')}, baselines.json, report.html")
