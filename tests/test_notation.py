"""Names with options: one rule for everything that is written so, and what is written of a value parses back to it."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rankscope.analysis.forecast.models import MODELS
from rankscope.core.errors import MeasureError, RankscopeError, SettingError
from rankscope.core.notation import Named, NamedCatalogue, Written, parse_written, split_list, usage
from rankscope.engines.images.contenders import NAMED
from rankscope.engines.images.local_features import SiftMatching
from rankscope.engines.nearest.metrics import METRICS, Mixture, WeightedMetric, metric_named, parse_metric
from rankscope.feedback.methods import METHODS, Rocchio
from rankscope.feedback.normalization.losses import CLASSIFIERS
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.users import USERS, Noisy
from rankscope.measures import AP, RBP, P
from rankscope.measures.notation import MEASURES, parse_measure

OTHERS: NamedCatalogue[Any] = NamedCatalogue("other", (SiftMatching, *map(type, CLASSIFIERS)), example="one(2)")
CATALOGUES: tuple[NamedCatalogue[Any], ...] = (MEASURES, NAMED, METHODS, USERS, STARTS, MODELS, OTHERS)
OWN_GRAMMAR = {"mixed"}  # all between its brackets are other starts
KINDS = [(catalogue, kind) for catalogue in CATALOGUES for kind in catalogue.own() if kind.name not in OWN_GRAMMAR]
every_kind = pytest.mark.parametrize(("catalogue", "kind"), KINDS, ids=[kind.name for _, kind in KINDS])


@dataclass(frozen=True)
class Probe(Named):
    """Something with options of every type."""

    count: int = 3
    share: float = 0.5
    twice: bool = False
    form: Literal["round", "flat_top"] = "round"
    colour: str = "red"
    limit: float | None = None
    wide: int = 1
    name: ClassVar[str] = "probe"
    choices: ClassVar[dict[str, tuple[object, ...]]] = {"colour": ("red", "dark-blue")}
    least: ClassVar[dict[str, float]] = {"count": 0, "wide": 1}
    most: ClassVar[dict[str, float]] = {"share": 1}
    above: ClassVar[dict[str, float]] = {"share": 0}
    behind_at: ClassVar[str] = "wide"


PROBES: NamedCatalogue[Probe] = NamedCatalogue("probe", [Probe], example="probe(count=2)@5")


def values_of(kind: type[Named], name: str, hint: Any) -> st.SearchStrategy[Any]:
    """Values that an option may have."""
    if name in kind.choices:
        return st.sampled_from(kind.choices[name])
    if isinstance(hint, types.UnionType):
        return st.one_of([values_of(kind, name, each) for each in typing.get_args(hint)])
    low, high = kind.least.get(name, kind.above.get(name)), kind.most.get(name)
    if hint is int:
        return st.integers(-1000 if low is None else int(low), 10**6 if high is None else int(high))
    if hint is float:
        return st.floats(low, high, allow_nan=False, exclude_min=name in kind.above)
    plain: dict[Any, st.SearchStrategy[Any]] = {bool: st.booleans(), type(None): st.none()}
    plain[str] = st.sampled_from(["python judge.py", "ask --model=small"])
    return plain[hint] if hint in plain else st.sampled_from(typing.get_args(hint))


@pytest.mark.sampled(30)
@every_kind
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])  # options that exclude each other
@given(data=st.data())
def test_what_is_written_of_a_value_parses_back_to_it(
    catalogue: NamedCatalogue[Any], kind: type[Named], data: st.DataObject
) -> None:
    hints = typing.get_type_hints(kind)
    given = {each.name: data.draw(values_of(kind, each.name, hints[each.name])) for each in fields(kind)}
    try:
        value = kind(**given)
    except RankscopeError:
        assume(False)
    assert catalogue.parse(str(value)) == value
    assert catalogue.parse(str(value).replace(",", " , ").replace("(", " ( ")) == value
    assert str(catalogue.parse(str(value))) == str(value)


@every_kind
def test_case_and_joints_do_not_matter(catalogue: NamedCatalogue[Any], kind: type[Named]) -> None:
    for name in (kind.name, *kind.aliases):
        for other in (name.upper(), name.replace("-", "_"), name.replace("_", "-").title()):
            assert catalogue.find(other) is kind
        assert catalogue.find(name) is kind


def between_brackets(kind: type[Named]) -> list[str]:
    return [each.name for each in fields(kind) if each.name != kind.behind_at]


@pytest.mark.parametrize(("catalogue", "kind"), [each for each in KINDS if between_brackets(each[1])])
def test_an_option_that_comes_twice_is_an_error(catalogue: NamedCatalogue[Any], kind: type[Named]) -> None:
    for name in between_brackets(kind):
        with pytest.raises(kind.error, match=f"{name} is given twice"):
            catalogue.parse(f"{kind.name}({name}=1,{name.upper()}=1)")


@every_kind
def test_too_many_options_are_an_error_that_tells_those_there_are(
    catalogue: NamedCatalogue[Any], kind: type[Named]
) -> None:
    with pytest.raises(kind.error, match="It has"):
        catalogue.parse(f"{kind.name}({','.join('1' * (len(fields(kind)) + 1))})")
    with pytest.raises(kind.error, match=r"has no option 'no_such'.* It has"):
        catalogue.parse(f"{kind.name}(no_such=1)")


def test_unnamed_values_fill_what_is_free() -> None:
    assert METHODS.parse("rocchio(.25)") == Rocchio(alpha=0.25)
    assert PROBES.parse("probe(7)") == Probe(7)
    assert PROBES.parse("probe(count=7, .25)") == PROBES.parse("probe(.25, count=7)") == Probe(7, 0.25)
    assert PROBES.parse("Probe(7, 0.25, TRUE, flat-top, Dark_Blue, none) @ 4") == Probe(
        7, 0.25, twice=True, form="flat_top", colour="dark-blue", wide=4
    )
    assert str(METHODS.parse("svm(2)")) == "svm(C=2)"  # options that all methods have come last
    assert str(METHODS.parse("nearest-neighbour(background)")) == "nearest-neighbour(fallback=background)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "probe(count=few)",
            "'probe(count=few)': count must be a whole number of at least 0 and below 2^63, got 'few'",
        ),
        ("probe(count=2.5)", "count must be a whole number of at least 0 and below 2^63, got '2.5'"),
        ("probe(share=much)", "share must be a number above 0 and at most 1, got 'much'"),
        ("probe(twice=perhaps)", "twice must be True or False, got 'perhaps'"),
        ("probe(form=square)", "form must be one of round, flat_top, got 'square'"),
        ("probe(colour=green)", "colour must be one of red, dark-blue, got 'green'"),
        ("probe(form=flatop)", "form must be one of round, flat_top (did you mean 'flat_top'?), got 'flatop'"),
        ("probe(limit=high)", "limit must be none or a number, got 'high'"),
        ("probe(count=-1)", "count must be a whole number of at least 0 and below 2^63, got '-1'"),
        ("probe(share=0)", "'probe(share=0)': share must be a number above 0 and at most 1, got '0'"),
        ("probe(limit=nan)", "limit must be none or a number, got 'nan'"),
        (f"probe(count={2**63})", f"count must be a whole number of at least 0 and below 2^63, got '{2**63}'"),
        ("probe(cuont=1)", "probe has no option 'cuont' (did you mean 'count'?)."),
        ("probe(wide=1)", "probe has no option 'wide'"),
        ("probe(1", "'probe(1' is no probe: write NAME, NAME@10, NAME(option=value) or both, as probe(count=2)@5"),
        ("probe(1)(2)", "is no probe"),
        ("probe(a[1)", "is no probe"),
        ("prob", "no probe 'prob' (did you mean 'probe'?). There are: probe"),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(text: str, words: str) -> None:
    with pytest.raises(SettingError) as told:
        PROBES.parse(text)
    assert words in str(told.value)


def test_a_value_that_lacks_something_says_how_it_is_written() -> None:
    with pytest.raises(SettingError, match=r"'noisy' lacks eps_pos: it is written noisy\(eps_pos,eps_neg\)"):
        USERS.parse("noisy")
    with pytest.raises(MeasureError, match="'P': P needs a cut-off, for instance P@10"):
        parse_measure("P")
    with pytest.raises(SettingError, match="lazy takes no cut-off"):
        USERS.parse("lazy(.5)@3")
    assert usage(Probe) == "probe(count,share,twice,form,colour,limit)"


@pytest.mark.parametrize(
    "given",
    [
        {"count": "3"},
        {"count": 2.5},
        {"count": True},
        {"count": None},
        {"share": "half"},
        {"share": np.nan},
        {"twice": 1},
        {"form": "square"},
        {"colour": "green"},
        {"count": 2**63},
        {"count": np.array([1, 2])},
    ],
    ids=str,
)
def test_a_wrong_value_cannot_be_made_in_python_either(given: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"probe: {next(iter(given))} must be"):
        Probe(**given)


def test_a_number_too_long_to_read_is_told_by_its_size() -> None:
    with pytest.raises(SettingError, match=r"count must be .* below 2\^63, got a number of 13288 bits$"):
        Probe(count=10**4000)


def test_words_are_the_same_in_python_as_in_text() -> None:
    assert Probe(form="Flat-Top", colour="DARK_BLUE") == Probe(form="flat_top", colour="dark-blue")  # type: ignore[arg-type]


def test_numbers_of_arrays_are_numbers() -> None:
    plain = Probe(10, 0.25, twice=True, limit=2.5)
    probe = Probe(np.int64(10), np.float64(0.25), twice=np.bool_(True), limit=np.float32(2.5))  # type: ignore[arg-type]
    assert probe == plain
    assert [type(getattr(probe, each.name)) for each in fields(probe)] == [
        type(getattr(plain, each.name)) for each in fields(plain)
    ]
    assert P(np.int64(10)) == P(10)  # type: ignore[arg-type]
    assert type(P(np.uint8(10)).scope) is type(P(10.0).scope) is int  # type: ignore[arg-type]
    assert str(AP(rel=np.float32(2))) == "AP(rel=2)"  # type: ignore[arg-type]
    assert hash(RBP(p=np.float64(0.5))) == hash(RBP(p=0.5))
    assert replace(P(10), scope=np.int32(5)) == P(5)  # type: ignore[arg-type]


def test_limits_of_a_class_hold_for_its_subclasses() -> None:
    @dataclass(frozen=True)
    class Narrow(Probe):
        least: ClassVar[dict[str, float]] = {"count": 5}

    assert Narrow.least == {"count": 5, "wide": 1}
    with pytest.raises(SettingError, match="at least 5"):
        Narrow(4)
    with pytest.raises(SettingError, match="at most 1"):
        Narrow(share=2.0, count=6)


def test_a_user_who_errs_alike_on_both_sides_may_be_written_with_one_number() -> None:
    assert USERS.parse("noisy(0.1)") == Noisy(0.1) == Noisy(0.1, 0.1) == USERS.parse("noisy(0.1, 0.1)")
    assert str(Noisy(0.123456789)) == "noisy(0.123456789,0.123456789)"


# lists

NAME = st.from_regex(r"[a-z]{1,4}(\([a-z]=\d(,[a-z]=[a-z]\(\d,\d\))?\))?(@\d)?", fullmatch=True)


@given(names=st.lists(NAME), space=st.sampled_from(["", " "]))
def test_a_list_splits_into_what_it_was_made_of(names: list[str], space: str) -> None:
    assert split_list(f"{space},{space}".join(names)) == names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" , ,", []),
        ("a(b,(c,d)),e[1,2],{f,g}", ["a(b,(c,d))", "e[1,2]", "{f,g}"]),
        ("\"a,b\",'c,d'", ['"a,b"', "'c,d'"]),
        ("children's,dogs", ["children's", "dogs"]),
        ("a(b,c", ["a(b,c"]),
        ("a),b", ["a)", "b"]),
        ("P.5,10,15", ["P.5", "10", "15"]),
    ],
)
def test_commas_in_brackets_and_quotes_split_nothing(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


def test_the_cut_offs_of_a_family_stay_together() -> None:
    assert split_list("AP,P.5,10,RBP(.5),iprec_at_recall.0.1,.2,RR", families=True) == [
        "AP",
        "P.5,10",
        "RBP(.5)",
        "iprec_at_recall.0.1,.2",
        "RR",
    ]


# grammars of their own


def test_what_stands_between_brackets_may_have_a_grammar_of_its_own() -> None:
    @dataclass(frozen=True)
    class Pool(Named):
        bands: tuple[tuple[int, float], ...]
        name: ClassVar[str] = "bands"

        @classmethod
        def from_written(cls, written: Written) -> Pool:
            pairs = (part.split(":") for part in split_list(written.inner or ""))
            return cls(tuple((int(first), float(share)) for first, share in pairs))

    pools: NamedCatalogue[Pool] = NamedCatalogue("pool", [Pool], example="bands(10:1,100:.1)")
    assert pools.parse("Bands(10:1, 100:.1)") == Pool(((10, 1.0), (100, 0.1)))


@pytest.mark.parametrize(
    "text", ["0.7*l1[0:64] + 0.3*l2", "mixture(.7*L1[0:64]+.3*l2)", "Mixture( 0.7*l1[:64] + 0.3*L2)"]
)
def test_a_mixture_of_metrics_is_read_by_the_same_parser(text: str) -> None:
    assert metric_named(text) == Mixture([WeightedMetric("l1", 0.7, 0, 64), WeightedMetric("l2", 0.3)])


@given(weight=st.floats(1e-6, 1e6), first=st.integers(0, 9), width=st.none() | st.integers(1, 9))
def test_a_mixture_prints_so_that_it_can_be_read_again(weight: float, first: int, width: int | None) -> None:
    mixture = Mixture(
        [WeightedMetric("l1", weight, first, None if width is None else first + width), WeightedMetric("cosine")]
    )
    assert parse_metric(str(mixture)) == mixture


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("l2(3)", "a metric has no options"),
        ("0.5*l1[a:b]", "cannot read '0.5*l1[a:b]'"),
        ("0.5*l7", "no metric 'l7'"),
        ("cosin", "did you mean 'cosine'"),
        ("l1 l2", "is no metric: write NAME or NAME(option=value), as l2, or 0.7*l1[0:64] + 0.3*cosine[64:320]"),
    ],
)
def test_a_metric_written_wrongly_is_explained(text: str, words: str) -> None:
    with pytest.raises(SettingError) as told:
        metric_named(text)
    assert words in str(told.value)


def test_metrics_are_called_as_they_are_whatever_was_written() -> None:
    assert [metric_named(name.upper()) for name in METRICS.names()] == list(METRICS.names())


def test_text_is_taken_apart_with_nested_brackets() -> None:
    written = parse_written("pool(mix(a, 2), depth = 3)@20", "pool", "depth(20)")
    assert (written.name, written.given, written.scope) == ("pool", [("", "mix(a, 2)"), ("depth", "3")], "20")
    assert parse_written("pool(mix(a=2), by=max(b=3))", "pool", "depth(20)").given == [
        ("", "mix(a=2)"),
        ("by", "max(b=3)"),
    ]


def test_what_is_written_without_names_is_shown_with_them() -> None:
    with pytest.raises(
        SettingError, match=r"There are: consistent, noisy\(eps_pos,eps_neg\), lazy\(q\), partial\(theta\)"
    ):
        USERS.parse("nobody")
