"""Questions about feedback methods as commands: each has the options of its function, and those that all share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from rankscope.commands.line.command import GroupedCommand, Input, OutputFile
from rankscope.commands.line.feedback import (
    LABEL_NAMES,
    METHODS_OPTION,
    PROBLEM_NAMES,
    Numbers,
    problem_choices,
    problem_options,
)
from rankscope.commands.line.output import progress_line, write_text
from rankscope.core.catalogue import fold

ABOUT_QUESTIONS = {  # what `rankscope feedback --help` lists
    "efficiency": "how much of the possible each method has learnt (approaches I, II, III; losses; stored baselines)",
    "convergence": "how that grows with the number of examples, and where it ends",
    "examples": "one ranking from each example set, without rounds",
    "consistency": "with the answer among the features, is it found?",
    "resilience": "what is left when users err",
    "stability": "how much depends on where a user begins",
    "adaptation": "whether feedback adapts to the assessor who gives it",
    "scalability": "how long a user waits, and how that grows with the collection",
}
EXAMPLES = {
    "efficiency": "rankscope feedback digits efficiency --approach II --save-baselines digits.baselines.json",
    "convergence": "rankscope feedback digits convergence --topics 3,5,8 --sizes 1,4,16 --methods svm,rocchio",
    "examples": "rankscope feedback digits examples --sizes 1,2,4,8 --negatives 4 -m P@20",
    "consistency": "rankscope feedback photos.npz consistency --elementary --topics 'flower and red'",
    "resilience": "rankscope feedback digits resilience --errors 0.1,0.3 --rounds 3",
    "stability": "rankscope feedback digits stability --starts 40",
    "adaptation": "rankscope feedback photos.npz adaptation --qrels ann.txt --qrels ben.txt",
    "scalability": "rankscope feedback digits scalability --methods svm,nearest-neighbour --halvings 2",
}
COUNT = click.IntRange(1)
QUESTION_OPTIONS: dict[str, dict[str, Any]] = {  # by the name in Python: what click is told next to the default
    "approach": {
        "type": click.Choice(["I", "II", "III"]),
        "help": "Who may set the baseline: settings of the method itself (name it several times, each with its "
        "settings), all methods compared, or classifiers.",
    },
    "loss": {
        "metavar": "NAME",
        "help": "Which loss chooses among the candidates: zero-one, weighted(FALSE_POSITIVE, FALSE_NEGATIVE) or "
        "balanced.",
    },
    "form": {
        "type": click.Choice(["test", "whole", "decisions", "tuned"]),
        "help": "How a ranking becomes decisions: the first c of the tested items, the first c of all, the "
        "classifier's own, or a scope tuned in another fold.",
    },
    "folds": {"type": click.IntRange(2), "help": "Number of folds to learn and test in."},
    "examples": {"type": COUNT, "help": "Number of positive examples, and of negative ones."},
    "repeats": {"type": COUNT, "help": "Number of example sets drawn (of each fold, where there are folds)."},
    "baselines": {
        "type": Input(),
        "metavar": "FILE",
        "help": "Baselines that an earlier study saved: used again, or replaced by better ones; its results are "
        "re-calibrated.",
    },
    "save_baselines": {
        "type": OutputFile(),
        "metavar": "NAME.json",
        "help": "Write baselines and results for the next study.",
    },
    "user_score": {
        "type": Input(),
        "metavar": "NAME.json",
        "help": "Errors of a user, as `rankscope users score -o` writes them: examples have such errors too, and what "
        "is not known of the rates is in the interval.",
    },
    "draws": {"type": click.IntRange(2), "help": "With --user-score: how often error rates are drawn."},
    "sizes": {"type": Numbers(int, 1), "help": "Numbers of positive examples, as many negative ones."},
    "negatives": {"type": click.IntRange(0), "metavar": "N", "help": "Always so many negative examples."},
    "common": {"is_flag": True, "help": "Take the largest set out of the list at every size."},
    "elementary": {
        "is_flag": True,
        "help": "Add the labels that a topic is composed of as features, in place of the target.",
    },
    "gains": {
        "type": Numbers(float, 0.0),
        "help": "How high the added features are, in mean standard deviations; as 0 and 1 always.",
    },
    "errors": {"type": Numbers(float, 0.0), "help": "Shares of the marks that are wrong."},
    "start": {
        "type": Input(),
        "metavar": "KIND",
        "help": "How a session begins: one_query, random_display, examples(POSITIVES, NEGATIVES), a run file, or, of "
        "an index, words. Default: one_query; of an index words.",
    },
    "user": {
        "metavar": "KIND",
        "help": "How users judge: consistent, noisy(EPS_POS, EPS_NEG), lazy(Q), partial(THETA) or command(PROGRAM).",
    },
    "starts": {"type": COUNT, "help": "Number of sessions for each topic."},
    "rounds": {"type": click.IntRange(0), "help": "Number of rounds of feedback."},
    "scope": {"type": COUNT, "help": "Number of items shown in each round."},
    "measure": {"metavar": "NAME", "help": "Measure of the rankings."},
    "halvings": {"type": click.IntRange(1), "help": "How often the collection is halved."},
    "seed": {"type": click.IntRange(0), "metavar": "N", "help": "Seed of every random choice."},
}
OWN_SECTION = "This question"
NOT_OPTIONS = ("features", "methods", "progress", "problem")


def names_of_questions(args: Sequence[str]) -> list[str]:
    """Questions that are named among the arguments, in their order."""
    named = {fold(name): name for name in ABOUT_QUESTIONS}
    return [named[fold(each)] for each in dict.fromkeys(args) if fold(each) in named]


def question_command(name: str) -> GroupedCommand:
    """The command that answers one question."""
    from rankscope.commands.feedback_questions import QUESTIONS

    function = QUESTIONS[name]
    shared = problem_options(METHODS_OPTION(lambda **_given: None))
    words = "Format of the answer. Default: by -o's suffix, else text."
    shown = click.Option(["--format", "output_format"], type=click.Choice(["text", "json", "markdown"]), help=words)
    written = click.Option(
        ["-o", "--output"], type=OutputFile(), metavar="FILE", help="Write the answer here: .json, .md, else text."
    )
    answering = [written, shown, click.Option(["--quiet"], is_flag=True, help="Show no progress line.")]
    return GroupedCommand(
        "feedback",
        callback=lambda **given: _answer(name, **given),
        params=[
            click.Argument(["features"], type=Input(), metavar="FEATURES|INDEX"),
            click.Argument(["question"], metavar=name),
            *_own_options(function),
            *reversed(getattr(shared, "__click_params__")),  # noqa: B009  (click keeps them under a name of its own)
            *answering,
        ],
        help=f"{inspect.cleandoc(function.__doc__ or '')}\n\n\b\n{EXAMPLES[name]}",
        sections={
            OWN_SECTION: [str(each.name) for each in _own_options(function) if each.name != "seed"],
            "What users look for, and among what": ["methods", *PROBLEM_NAMES, *LABEL_NAMES],
        },
    )


def _own_options(function: Callable[..., Any]) -> list[click.Option]:
    """One option for each parameter of the function itself, with its default; those of all questions are shared."""
    parameters = inspect.signature(inspect.unwrap(function)).parameters
    return [_option(name, each.default) for name, each in parameters.items() if name not in NOT_OPTIONS]


def _option(name: str, default: Any) -> click.Option:
    told: Mapping[str, Any] = QUESTION_OPTIONS[name]
    spelled = ["-m", "--measure"] if name == "measure" else [f"--{name.replace('_', '-')}"]
    if told.get("is_flag"):
        return click.Option([*spelled, name], **told)
    return click.Option([*spelled, name], default=default, show_default=default is not None, **told)


def _answer(
    name: str,
    features: str,
    question: str,
    output: str | None,
    output_format: str | None,
    quiet: bool,
    methods: tuple[str, ...],
    **given: Any,
) -> None:
    """Ask, and show or write the answer."""
    from rankscope.commands.feedback_questions import QUESTIONS

    problem = problem_choices(given)
    asked = given | problem | ({"methods": methods} if methods else {})
    with progress_line(quiet) as progress:
        told = None if progress is None else lambda share: progress("topics", share)
        answer = QUESTIONS[name](features, progress=told, **asked)
    by_suffix = {".json": "json", ".md": "markdown"}.get(str(output)[str(output).rfind(".") :], "text")
    shown: str = getattr(answer, output_format or by_suffix)()
    write_text(shown, output)
