"""`rankscope feedback`: simulated users, feedback methods, and which learns what the user wants."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.cli.options import label_options, measure_option, on_option
from rankscope.facade.usual import METHODS, TEXT_METHODS

SHARED = (  # settings of studies on vectors and on texts
    "topics",
    "start",
    "user",
    "scaling",
    "starts",
    "seed",
    "scope",
    "rounds",
    "k_pos",
    "k_neg",
    "choice",
    "display",
    "show_seen",
    "remember",
    "scored",
)


@click.command(
    "feedback",
    cls=GuardedCommand,
    short_help="Which feedback method learns fastest, with simulated users?",
    former={"--processes": "--on processes:N", "--memory": "--remember"},
)
@click.argument("features", type=Input(), metavar="FEATURES|INDEX")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile("a feedback study", makes_folder=True),
    metavar="NAME.parquet",
    help="Write the results here, one row for each session and round.",
)
@click.option(
    "--report",
    type=OutputFile(),
    metavar="NAME.html",
    help="Write a page with graphs, efficiency and response times too.",
)
@click.option(
    "--methods",
    multiple=True,
    metavar="NAMES",
    help="Methods to compare, such as 'rocchio(gamma=0.25),svm'; repeat it or separate by commas; 'all' for every one."
    f" Default: {', '.join(METHODS)}; of an index {', '.join(TEXT_METHODS)}. Controls always go with them.",
)
@click.option(
    "--topics",
    multiple=True,
    type=Input(),
    metavar="TEXTS",
    help="What users look for: labels, or 'flower and red and not sky'; of an index a file of topics. Default: every "
    "label of two items or more.",
)
@click.option(
    "--qrels", type=Input(), metavar="FILE", help="Judgements: which documents of an index are relevant to its topics."
)
@click.option(
    "--rel",
    type=float,
    default=1,
    show_default=True,
    metavar="GRADE",
    help="Count documents of an index as relevant from this grade on.",
)
@click.option(
    "--similarity",
    default="bm25",
    show_default=True,
    metavar="NAME",
    help="How documents of an index are scored, as of search.",
)
@click.option("--field", metavar="NAME", help="Field of an index that words are looked up in. Default: as of search.")
@click.option("--parts", metavar="NAMES", help="Parts of the topics to ask with, as title+desc. Default: the title.")
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
    metavar="KIND",
    help="How a session begins: one_query, random_display, examples(POSITIVES, NEGATIVES), or, of an index, words: the "
    "engine's own ranking. Default: one_query; of an index words.",
)
@click.option(
    "--user",
    default="consistent",
    show_default=True,
    metavar="KIND",
    help="How users judge: consistent, noisy(EPS_POS, EPS_NEG), lazy(Q) or partial(THETA).",
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
    "--scaling",
    type=click.Choice(["none", "standardise", "l2"]),
    default="none",
    show_default=True,
    help="How features are scaled before methods see them.",
)
@label_options
@click.option(
    "--keep-ranks",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write the rankings of the last round, one file for each method compared: rankscope compare "
    "FOLDER/*.parquet gives the"
    " verdict of the study. Controls go into FOLDER/controls.",
)
@on_option("as many processes as there are cores, once there is enough to do")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of every random choice."
)
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def command(features: str, output: str, report: str | None, quiet: bool, **given: Any) -> None:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    FEATURES is .npz (arrays features, labels, ids), .npy (with --labels), Parquet, or the name of a collection that
    comes with vectors (digits). INDEX is the folder of an index of texts: methods on words (text-rm3, text-rocchio)
    and on vectors of latent semantic indexing learn from the same marks. Interrupted work continues when the same
    command is run again.

    \b
    rankscope feedback digits --methods rocchio,svm --topics 3,5,8 -o digits.parquet
    rankscope feedback clip.npz --user 'noisy(0.1)' --report clip.html -o clip.parquet
    rankscope feedback docs.index --topics queries.tsv --qrels qrels.txt --methods text-rm3,text-rocchio -o docs.parquet
    """
    from rankscope.cli.output import print_result, progress_line, say
    from rankscope.feedback.study.study import study
    from rankscope.reports.texts.feedback import text_of
    from rankscope.running.runners import runner_of

    _check_names(output, report)
    if given["on"] is not None:
        given["on"] = runner_of(given["on"])  # before a large file is read
    plan = _plan(features, given)
    if given["keep_ranks"]:
        _check_kept(plan)
    with progress_line(quiet) as progress:
        results = study(
            plan,
            result=output,
            on=given["on"],
            progress=None if progress is None else lambda share: progress("sessions", share),
        )
        if given["keep_ranks"]:
            _keep(plan, results, given["keep_ranks"], progress)
        if report:
            from rankscope.reports.page.feedback_page import write_page

            write_page(results, plan, report, progress=progress)
    if not quiet:
        print_result(text_of(results))
        say(f"{output}: {results.frame.height:,} rows" + (f"; {report}" if report else ""))


def _check_names(output: str, report: str | None) -> None:
    from rankscope.errors import SettingError

    if not output.endswith(".parquet"):
        raise SettingError(f"the result must be called NAME.parquet, got '{output}'")
    if report is not None and not report.endswith((".html", ".htm")):
        raise SettingError(f"the report must be called NAME.html, got '{report}'")


def _plan(path: str, given: dict[str, Any]) -> Any:
    from rankscope.facade.simulating import plan_of_either

    return plan_of_either(
        path,
        {name: given[name] for name in ("labels", "separator", "label_column", "id_column")},
        {name: given[name] for name in ("qrels", "similarity", "field", "parts", "rel")},
        methods=given["methods"] or None,
        measures=given["measures"] or None,
        **{name: given[name] for name in SHARED},
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
