"""`rankscope feedback`: simulated users, feedback methods, and which learns what the user wants."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.feedback_options import LABELS, METHODS_OPTION, PROBLEM, problem_choices, problem_options
from rankscope.cli.grouped import GroupedCommand
from rankscope.cli.guarded import Input, OutputFile, OutputFolder
from rankscope.cli.options import measure_option, on_option
from rankscope.number_texts import how_many

SESSIONS = ("starts", "rounds", "scope", "start", "user", "unjudged", "k_pos", "k_neg", "choice", "display")
SECTIONS = {
    "Results": ("output", "report", "keep_ranks", "keep_sessions", "replay", "baselines", "quiet"),
    "What users look for, and among what": ("methods", *PROBLEM, *LABELS),
    "How a session goes": (*SESSIONS, "show_seen", "remember"),
    "What decides": ("scored", "measures"),
}
PROTOCOL = ("scope", "rounds", "k_pos", "k_neg", "choice", "display", "show_seen", "remember", "scored", "unjudged")


class FeedbackCommand(GroupedCommand):
    """The study, or where a question is named the command of that question with its own options."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the question that is asked, else of the study.

        A word that is a question may be the value of an option too: then the study reads it as no question.
        """
        from rankscope.cli.feedback_pack import names_a_pack, pack_command
        from rankscope.cli.feedback_questions import names_of_questions, question_command

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
        from rankscope.cli.feedback_questions import ABOUT

        with formatter.section("Questions (rankscope feedback QUESTION --help has the options of each)"):
            formatter.write_dl([*ABOUT.items()])
        with formatter.section("Benchmark packs (rankscope feedback --pack NAME --help has their options)"):
            formatter.write_dl([("--list-packs", "studies that anybody can run and cite"), ("--pack NAME", "run one")])


@click.command(
    "feedback",
    cls=FeedbackCommand,
    sections=SECTIONS,
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
    help="Measures of the scored list; the first decides, cumulative recall is secondary. Default: AP, Rprec and "
    "Estar.",
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
def command(
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
    from rankscope.cli.output import print_result, progress_line, say
    from rankscope.feedback.study.kept_sessions import load_sessions
    from rankscope.feedback.study.study import study
    from rankscope.reports.texts.feedback import text_of
    from rankscope.running.runners import runner_of

    output = _needed_output(question, output)
    _check_names(output, report, baselines)
    if given["on"] is not None:
        given["on"] = runner_of(given["on"])  # before a large file is read
    plan = _plan(features, given)
    if given["replay"]:
        plan = plan.replaying(load_sessions(given["replay"]))
    if given["keep_ranks"]:
        _check_kept(plan)
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
        print_result(text_of(results))
        say(f"{output}: {how_many(results.frame.height, 'rows')}" + (f"; {report}" if report else ""))


def _needed_output(question: str | None, output: str | None) -> str:
    """The file of the results; a word behind the features that is no question is told first."""
    if question is not None:
        from rankscope.catalogue import Catalogue
        from rankscope.cli.feedback_questions import ABOUT

        raise click.UsageError(Catalogue.of_words("question", ABOUT).not_found(question))
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output': where the results of the study go.")
    return output


def _write_page(results: Any, plan: Any, report: str, baselines: str | None, output: str, progress: Any) -> None:
    """The page, and next to the results the baselines and efficiencies that the next study may begin with."""
    from rankscope.feedback.normalization.normalised import normalised
    from rankscope.feedback.normalization.stored_baselines import load_store, save_baselines
    from rankscope.reports.page.feedback_page import write_page

    earlier = None if baselines is None else load_store(baselines)
    told = None if progress is None else lambda share: progress("baselines", share)
    result = normalised(plan, told, earlier)
    write_page(results, result, report)
    if result.learnt is not None:
        save_baselines(result.learnt.store.baselines, baselines_beside(output), result.learnt.store.results)


def baselines_beside(output: str) -> str:
    """Where the baselines of a study go.

    >>> baselines_beside("out/digits.parquet")
    'out/digits.baselines.json'
    """
    return f"{output.removesuffix('.parquet')}.baselines.json"


def _check_names(output: str, report: str | None, baselines: str | None) -> None:
    from rankscope.errors import SettingError
    from rankscope.file_guard import check_target

    if baselines is not None and report is None:
        raise SettingError("--baselines go with a page: give --report NAME.html, or ask for efficiency alone")
    if report is not None:
        check_target(baselines_beside(output), (None,))

    if not output.endswith(".parquet"):
        raise SettingError(f"the result must be called NAME.parquet, got '{output}'")
    if report is not None and not report.endswith((".html", ".htm")):
        raise SettingError(f"the report must be called NAME.html, got '{report}'")


def _plan(path: str, given: dict[str, Any]) -> Any:
    from rankscope.facade.problems import methods_of, problem_of
    from rankscope.facade.simulating import plan_of

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
        **{name: given[name] for name in PROTOCOL},
    )


def _check_kept(plan: Any) -> None:
    from rankscope.errors import SettingError

    if plan.setting.protocol.scored == "residual" and plan.pair is None:
        raise SettingError(
            "residual lists are kept for two methods only, without what either has shown: "
            "for more, --keep-ranks needs --list frozen or --list split"
        )


def _keep(plan: Any, results: Any, folder: str, progress: Any) -> None:
    """The rankings that decide, as every other command reads them; of methods that rank alike one file."""
    from pathlib import Path

    from rankscope.feedback.methods import CONTROLS
    from rankscope.feedback.study.verdicts import compared_methods
    from rankscope.files import made_folder
    from rankscope.names import file_names
    from rankscope.ranks.storage import save_ranks

    chosen = compared_methods(results)
    kept = [each for each in plan.methods if str(each) in chosen or each.name in CONTROLS]
    names = file_names([str(each) for each in kept])
    for done, (name, method) in enumerate(zip(names, kept, strict=True), start=1):
        where = made_folder(Path(folder, "controls") if method.name in CONTROLS else folder)
        save_ranks(_last_ranks(plan, method), where / f"{name}.ranks.parquet")
        if progress is not None:
            progress("rankings", done / len(kept))


def _last_ranks(plan: Any, method: Any) -> Any:
    from rankscope.feedback.study.rounds import simulate_rounds
    from rankscope.feedback.study.shared_residual import shared_ranks

    if plan.pair is None or method not in plan.pair:
        return simulate_rounds(method, plan.setting, plan.sessions).ranks()
    other = plan.pair[1 - plan.pair.index(method)]
    return shared_ranks((method, other), plan.setting, plan.sessions)
