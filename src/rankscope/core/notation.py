"""Names with options as people write them: `P(rel=2)@10`, `lbp(grid=4)`, `noisy(0.1)`. One base, one parser.

The rule: options come by name or in order, an unnamed one fills the first that is free; a name given twice is an error;
case and `-` or `_` do not matter; what is written of a value parses back to an equal value.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from rankscope.core.caching import once
from rankscope.core.catalogue import Catalogue, did_you_mean, fold
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.validation import Rule, rule_of, type_hints
from rankscope.core.wording import short_number, value_text

SHAPE = re.compile(r"(?P<name>[^@()\s]+)\s*(?:\((?P<inner>.*)\))?\s*(?:@(?P<scope>[^@()]+))?", re.DOTALL)
OPTION = re.compile(r"(?P<name>[\w-]+)\s*=\s*(?P<value>.*)", re.DOTALL)
FAMILY, CUT = re.compile(r"\w+\.[\d.]"), re.compile(r"[\d.]+")
OPENING, CLOSING, QUOTES = "([{", ")]}", "\"'"
REQUIRED = "required"
MERGED = ("choices", "least", "most", "above")


@dataclass(frozen=True)
class Written:
    """A text taken apart: its name, what stands between the brackets (None: no brackets) and behind the @."""

    text: str
    name: str
    inner: str | None = None
    scope: str = ""

    @property
    def given(self) -> list[tuple[str, str]]:
        """The options in order, each as name and value; the name is empty where only a value was written."""
        parts = [(part, OPTION.fullmatch(part)) for part in split_list(self.inner or "")]
        return [("", part) if match is None else (match["name"], match["value"]) for part, match in parts]


def given_behind_at() -> Any:
    """A field without a default whose value may follow in a second step, behind the @: `P(rel=2)` and then `@10`."""
    return field(default=None, metadata={REQUIRED: True})


def is_required(each: Field[Any]) -> bool:
    """Whether an option has no default."""
    return _default(each) is MISSING


@dataclass(frozen=True)
class Named:
    """A value with a name and options: the base of measures, descriptors, methods, users, whatever people write so.

    Subclasses are frozen dataclasses whose fields are the options. Limits and choices of a class hold for its
    subclasses too; None is allowed where the type of an option says so, and limits do not touch it.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    choices: ClassVar[Mapping[str, tuple[object, ...]]] = {}
    least: ClassVar[Mapping[str, float]] = {}
    most: ClassVar[Mapping[str, float]] = {}
    above: ClassVar[Mapping[str, float]] = {}  # as `least`, without the limit itself
    own_rules: ClassVar[Mapping[str, Rule]] = {}  # what an option may be where no type says it
    unnamed: ClassVar[tuple[str, ...]] = ()  # options that people write without their names: noisy(0.1)
    behind_at: ClassVar[str] = ""  # the option that is written behind an @
    error: ClassVar[type[RankscopeError]] = SettingError

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for each in MERGED:
            parts = [vars(base).get(each, {}) for base in reversed(cls.__mro__)]
            setattr(cls, each, {name: value for part in parts for name, value in part.items()})

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """The value that a text means. A class with a grammar of its own between the brackets overrides this."""
        given = given_options(cls, written).items()
        return cls(**{name: _read(cls, name, text, written.text) for name, text in given})

    @classmethod
    def claims(cls, text: str) -> bool:
        """Whether a text is one of these without name and brackets, for a class whose grammar shows by itself."""
        return False

    def __post_init__(self) -> None:
        rules = rules_of(type(self))
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None and each.metadata.get(REQUIRED):
                continue
            try:
                object.__setattr__(self, each.name, rules[each.name].plain(value))
            except ValueError as refusal:
                raise self.error(f"{self.name}: {each.name} {refusal}, got {value_text(value)}") from None

    def __str__(self) -> str:
        return self.written

    @once
    def written(self) -> str:
        """The name with what differs from the defaults."""
        return self._write()

    def _write(self) -> str:
        values = {each.name: (getattr(self, each.name), _default(each)) for each in fields(self) if each.init}
        scope, _ = values.pop(self.behind_at, (None, None))
        plain = [(each, *values.pop(each)) for each in self.unnamed]
        while plain and plain[-1][1] == plain[-1][2]:
            plain.pop()
        parts = [short(value) for _, value, _ in plain]
        parts += [f"{name}={short(value)}" for name, (value, usual) in values.items() if value != usual]
        return self.name + (f"({','.join(parts)})" if parts else "") + ("" if scope is None else f"@{short(scope)}")


def rules_of(kind: type[Named]) -> dict[str, Rule]:
    """What each option may be, from its type, and from the choices and limits that the class tells."""
    return _rules_of(cast(Hashable, kind))


@cache
def _rules_of(kind: Any) -> dict[str, Rule]:
    hints = type_hints(kind)
    return {
        each.name: kind.own_rules.get(each.name)
        or rule_of(
            hints.get(each.name),
            choices=kind.choices.get(each.name, ()),
            least=kind.least.get(each.name),
            most=kind.most.get(each.name),
            above=kind.above.get(each.name),
        )
        for each in fields(kind)
    }


def _read(kind: type[Named], name: str, text: str, whole: str) -> object:
    """The value of an option from its text; what it cannot be is an error that shows the whole."""
    rule = rules_of(kind)[name]
    try:
        return rule.plain(rule.read(text))
    except ValueError as refusal:
        raise kind.error(f"'{whole}': {name} {refusal}, got '{text}'") from None


N = TypeVar("N", bound=Named)


class NamedCatalogue(Catalogue[type[N]], Generic[N]):
    """A catalogue of classes of named values, which reads the values too. `example` shows how one is written."""

    def __init__(
        self,
        what: str,
        entries: Iterable[type[N]] | Mapping[str, Any],
        example: str,
        group: str | None = None,
        error: type[RankscopeError] = SettingError,
        advice: str | None = None,
        aliased: bool = False,
    ) -> None:
        super().__init__(what, entries, group, error, advice, aliased)
        self.example = example

    def parse(self, text: str) -> N:
        """The value that a text means."""
        written = self.take_apart(text)
        return self.find(written.name).from_written(written)

    def parse_list(self, texts: str | Iterable[str]) -> list[N]:
        """The values of texts that may hold several, separated by commas; each once."""
        several = [texts] if isinstance(texts, str) else texts
        return list(dict.fromkeys(self.parse(part) for text in several for part in split_list(text)))

    def show(self, name: str) -> str:
        """A name as a list of all shows it: with its options where people write them without their names."""
        kind = self.find(name)
        return usage(kind) if kind.unnamed else name

    def take_apart(self, text: str) -> Written:
        """The parts of a text."""
        return parse_written(text, self.what, self.example, error=self.error)


def parse_written(
    text: str, what: str, example: str, grammars: Sequence[type[Named]] = (), error: type[RankscopeError] = SettingError
) -> Written:
    """Take apart what people write; text that a class of `grammars` claims is all between the brackets of that class.

    >>> parse_written("RBP(.5, gain=graded)", "measure", "P(rel=2)@10").given
    [('', '.5'), ('gain', 'graded')]
    >>> parse_written(" pool ( mix(a, b), depth=3 ) @ 20 ", "pool", "depth(20)")
    Written(text=' pool ( mix(a, b), depth=3 ) @ 20 ', name='pool', inner='mix(a, b), depth=3', scope='20')
    """
    for each in grammars:
        if each.claims(text):
            return Written(text, each.name, text)
    match = SHAPE.fullmatch(text.strip())
    if match is None or not _balanced(match["inner"] or ""):
        cut = "NAME, NAME@10, NAME(option=value) or both" if "@" in example else "NAME or NAME(option=value)"
        raise error(f"'{text}' is no {what}: write {cut}, as {example}")
    inner = match["inner"]
    return Written(text, match["name"], None if inner is None else inner.strip(), (match["scope"] or "").strip())


def given_options(kind: type[Named], written: Written) -> dict[str, str]:
    """The option that each value was written for; one that does not exist, comes twice or is missing is an error."""
    known = options_of(kind)
    named = [(_option(kind, key, written.text), value) if key else ("", value) for key, value in written.given]
    taken = {key for key, _ in named}
    free = [name for name in known if name not in taken]
    values: dict[str, str] = {}
    for place, (key, value) in enumerate(named):
        if not key and not free and place >= len(known):
            raise kind.error(f"'{written.text}': {kind.name} has no option for '{value}'. {_options_there(kind)}")
        name = key or (free.pop(0) if free else known[place])
        if name in values or (not key and name in taken):
            raise kind.error(f"'{written.text}': {name} is given twice")
        values[name] = value
    if written.scope:
        if not any(each.name == kind.behind_at for each in fields(kind)):
            raise kind.error(f"'{written.text}': {kind.name} takes no cut-off")
        values[kind.behind_at] = written.scope
    lacking = [each.name for each in fields(kind) if each.init and is_required(each) and each.name not in values]
    if kind.behind_at in lacking:
        raise kind.error(f"'{written.text}': {kind.name} needs a cut-off, for instance {kind.name}@10")
    if lacking:
        raise kind.error(f"'{written.text}' lacks {', '.join(lacking)}: it is written {usage(kind)}")
    return values


def options_of(kind: type[Named]) -> list[str]:
    """The options that stand between the brackets, in the order in which unnamed values fill them.

    Those of a base class that every method has come last.
    """
    own = [each for each in fields(kind) if each.init and each.name != kind.behind_at]
    return [each.name for each in sorted(own, key=lambda each: each.kw_only is True)]


def usage(kind: type[Named]) -> str:
    """How a value with all its options is written, in words: `noisy(eps_pos,eps_neg)`."""
    names = options_of(kind)
    return f"{kind.name}({','.join(names)})" if names else kind.name


def split_list(text: str, families: bool = False) -> list[str]:
    """Split at commas that stand in no brackets and no quotes; empty parts are left out.

    `families`: nor between the cut-offs of trec_eval's `P.5,10`.
    >>> split_list("AP, RBP(.5,gain=graded), P.5,10, RR", families=True)
    ['AP', 'RBP(.5,gain=graded)', 'P.5,10', 'RR']
    >>> split_list("'red, round' and big, l1[0:2]")
    ["'red, round' and big", 'l1[0:2]']
    """
    parts: list[str] = []
    for word in filter(None, map(str.strip, _pieces(text))):
        if families and parts and CUT.fullmatch(word) and FAMILY.match(parts[-1]):
            parts[-1] += "," + word
        else:
            parts.append(word)
    return parts


def short(value: object) -> str:
    """A number in its short form if that says all of it, other values as they are.

    >>> short(2.0), short(0.8), short(0.123456789), short(None)
    ('2', '0.8', '0.123456789', 'none')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return short_number(value) if isinstance(value, float) else str(value)


def _pieces(text: str) -> Iterable[str]:
    """What stands between the commas; a bracket that is never closed holds all that follows it."""
    depth, start, place = 0, 0, 0
    while place < len(text):
        sign = text[place]
        if sign in QUOTES:
            place = max(place, text.find(sign, place + 1))
        depth = max(0, depth + (sign in OPENING) - (sign in CLOSING))
        if sign == "," and not depth:
            yield text[start:place]
            start = place + 1
        place += 1
    yield text[start:]


def _balanced(inner: str) -> bool:
    """Whether every bracket that opens inside closes inside, and none closes before."""
    depth = 0
    for sign in inner:
        depth += (sign in OPENING) - (sign in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _option(kind: type[Named], key: str, text: str) -> str:
    """The option a name means: of this spelling, or the only one that differs in case or in `-` and `_`."""
    known = options_of(kind)
    alike = [name for name in known if name == key] or [name for name in known if fold(name) == fold(key)]
    if len(alike) > 1:
        raise kind.error(f"'{text}': '{key}' could be {' or '.join(alike)}: spell it as one of them")
    if not alike:
        hint = did_you_mean(key, known)
        raise kind.error(f"'{text}': {kind.name} has no option '{key}'{hint} {_options_there(kind)}")
    return alike[0]


def _options_there(kind: type[Named]) -> str:
    known = options_of(kind)
    return f"It has: {', '.join(known)}" if known else "It has none."


def _default(each: Field[Any]) -> object:
    if each.metadata.get(REQUIRED):
        return MISSING
    return each.default_factory() if each.default_factory is not MISSING else each.default
