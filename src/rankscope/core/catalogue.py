"""Look-up by name: what rankscope has of a sort, what other packages add to it, and "did you mean"."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.names import visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


T = TypeVar("T")
LISTED = 40  # names in a message
SENTENCE_END = re.compile(r"(?<! al)\. ")  # but not that of "et al."


@dataclass(frozen=True)
class Later:
    """An entry that is loaded when it is first asked for: a module, or something in it behind a colon.

    >>> Later("rankscope.core.errors:SettingError").load()
    <class 'rankscope.core.errors.SettingError'>
    """

    address: str

    def load(self) -> Any:
        """What stands at the address."""
        module, _, attribute = self.address.partition(":")
        found = import_module(module)
        return getattr(found, attribute) if attribute else found


def later(package: str, addresses: Mapping[str, str]) -> dict[str, Later]:
    """Entries of one package that are loaded when they are asked for, by their names.

    >>> later("rankscope", {"wrong setting": "core.errors:SettingError"})
    {'wrong setting': Later(address='rankscope.core.errors:SettingError')}
    """
    return {name: Later(f"{package}.{address}") for name, address in addresses.items()}


def load_attribute(entries: Mapping[str, Later], attribute: str) -> Any:
    """The entry of this name in its module: what `__getattr__` of a package gives for the names of its classes."""
    named = {each.address.partition(":")[2]: each for each in entries.values()}
    if attribute in named:
        return named[attribute].load()
    raise AttributeError(f"there is no '{attribute}' here{did_you_mean(attribute, named)}")


class Catalogue(Generic[T]):
    """All things of one sort by their names: our own, then those that other packages add through an entry point group.

    A name is found as it is spelled; where nothing is spelled so, case and `-` or `_` do not matter. Other packages are
    asked only for a name that is not ours, because asking takes time. `entries` are things with a `name` (and
    `aliases`), or a mapping from names to things, of which some may be `Later`; where those are `aliased` too, a name
    that is none of ours loads them all. `elsewhere` are words of other tools, as `fold` gives them, with the names that
    are suggested for them.
    >>> themes = Catalogue("theme", {"light": "#fff", "dark_blue": "#016"})
    >>> themes.find("Dark-Blue"), themes.names()
    ('#016', ('light', 'dark_blue'))
    >>> themes.find("lite")
    Traceback (most recent call last):
    rankscope.core.errors.SettingError: no theme 'lite' (did you mean 'light'?). There are: light, dark_blue
    """

    def __init__(
        self,
        what: str,
        entries: Iterable[T] | Mapping[str, T | Later],
        group: str | None = None,
        error: type[RankscopeError] = SettingError,
        advice: str | None = None,
        aliased: bool = False,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        named = entries if isinstance(entries, Mapping) else {_name_of(each): each for each in entries}
        self.what, self.group, self.error, self.advice, self.aliased = what, group, error, advice, aliased
        self.elsewhere = elsewhere or {}
        self._own: dict[str, T | Later] = dict(named)

    @classmethod
    def of_words(cls, what: str, words: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> Catalogue[str]:
        """A catalogue of words that stand for themselves.

        >>> Catalogue.of_words("scaling", ["none", "l2"]).find("L2")
        'l2'
        """
        return Catalogue(what, {word: word for word in words}, elsewhere=elsewhere)

    def own(self) -> tuple[T, ...]:
        """Our own entries, all loaded, in the order people want to see them."""
        return tuple(self._load(name) for name in self._own)

    def own_names(self) -> tuple[str, ...]:
        """Names of our own entries; nothing is loaded."""
        return tuple(self._own)

    def added(self) -> tuple[T, ...]:
        """What other packages add, without names that are ours."""
        found = additions(self.group) if self.group else ()
        return tuple(each for each in found if each.name not in self._own)

    def names(self) -> tuple[str, ...]:
        """Every name, those of other packages last."""
        return (*self._own, *(_name_of(each) for each in self.added()))

    def own_aliases(self) -> tuple[str, ...]:
        """Other names of our own entries."""
        return tuple(self._aliases)

    def __iter__(self) -> Iterator[T]:
        yield from self.own()
        yield from self.added()

    def __len__(self) -> int:
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._matching(name))

    def find(self, name: str) -> T:
        """The entry of a name or alias; none, or more than one that could be meant, is an error that says so."""
        found = self._matching(name)
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise self.error(f"'{name}' could be {' or '.join(found)}: spell it as one of them")
        raise self.error(self.not_found(name))

    def spell(self, name: str) -> str:
        """The name itself of the entry that a name or alias means.

        >>> Catalogue("kind", {"radial-plot": 1}).spell("Radial_Plot")
        'radial-plot'
        """
        entry = self.find(name)
        return next((each for each, other in self._own.items() if other is entry), "") or _name_of(entry)

    def not_found(self, name: str, meant: str = "") -> str:
        """The sentence for a name that is not there; `meant` is what to suggest, where more than the name tells."""
        known = (*self._aliases, *self.names())
        there = self.advice or f"There are: {', '.join(map(self.show, self.names()))}"
        hint = did_you_mean(name, known, meant or self.elsewhere.get(fold(name), ""))
        return f"no {self.what} '{name}'{hint} {there}"

    def show(self, name: str) -> str:
        """A name as a list of all shows it."""
        return name

    def listing(self) -> list[tuple[str, str]]:
        """Name and summary, in one line, of every entry."""
        return [(name, summary_of(each)) for name, each in zip(self.names(), self, strict=True)]

    def _matching(self, name: str) -> dict[str, T]:
        """The entries that a name can mean, by their own names: one of its spelling, else all that differ in case."""
        if name in self._own:
            return {name: self._load(name)}
        if name in self._aliases:
            return {name: self._aliases[name]}
        spelled = _spellings(self.added())
        if name in spelled:
            return {name: spelled[name]}
        own = {each: self._load(each) for each in self._own if fold(each) == fold(name)}
        alike = {**self._aliases, **spelled}
        found = own | {each: entry for each, entry in alike.items() if fold(each) == fold(name)}
        first = {id(entry): each for each, entry in reversed(found.items())}
        return {each: entry for each, entry in found.items() if first[id(entry)] == each}

    def _load(self, name: str) -> T:
        entry = self._own[name]
        if isinstance(entry, Later):
            self._own[name] = entry = cast(T, entry.load())
        return entry

    @cached_property
    def _aliases(self) -> dict[str, T]:
        """Other names of our entries; those that are loaded later have none, unless all are loaded to see them."""
        loaded = [each for each in (self.own() if self.aliased else self._own.values()) if not isinstance(each, Later)]
        return {alias: each for each in reversed(loaded) for alias in getattr(each, "aliases", ())}


def fold(name: str) -> str:
    """A name without what does not matter in it: case, and whether `-` or `_` joins its words.

    >>> fold("RGB_Histogram") == fold("rgb-histogram")
    True
    """
    return name.lower().replace("-", "_")


def did_you_mean(name: str, known: Iterable[str], meant: str = "") -> str:
    """A hint that ends the sentence: ` (did you mean 'P@10'?).`, or just a full stop. `meant` is known to be the one.

    >>> did_you_mean("nDCQ", ["nDCG", "AP"])
    " (did you mean 'nDCG'?)."
    """
    near = meant or closest(name, known)
    return f" (did you mean '{near}'?)." if near else "."


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that is spelled most like this one, else the only one that it abbreviates; "" where none is.

    >>> kinds = ["precision-recall", "score-distribution"]
    >>> closest("precision-recal", kinds), closest("PR", kinds), closest("distr", kinds), closest("score", kinds)
    ('precision-recall', 'precision-recall', '', 'score-distribution')
    """
    names = tuple(known)
    by_case = {each.lower(): each for each in names}
    if close := difflib.get_close_matches(name.lower(), by_case, n=1, cutoff=0.6):
        return by_case[close[0]]
    letters = re.sub(r"[\W_]", "", name.lower())
    initials_of = {each: "".join(word[0] for word in re.split(r"[\W_]+", each.lower()) if word) for each in names}
    initials = [each for each in names if len(letters) > 1 and initials_of[each] == letters]
    beginnings = [each for each in names if len(letters) > 2 and fold(each).startswith(fold(name))]
    return next((found[0] for found in (initials, beginnings) if len(found) == 1), "")


def unknown_name(what: str, name: object, known: Iterable[str]) -> str:
    """The sentence for a name that is none of those known, of which at most so many are listed.

    >>> unknown_name("system", "bm52", ["bm25", "dense"])
    "no system 'bm52' (did you mean 'bm25'?). There are: bm25, dense"
    """
    names = tuple(known)
    return f"no {what} '{name}'{did_you_mean(str(name), names)} There are: {listed(names)}"


def listed(names: Sequence[str]) -> str:
    """Names between commas, at most so many.

    >>> listed(["AP", "RR"])
    'AP, RR'
    """
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"


def summary_of(entry: object) -> str:
    """What an entry says of itself in one sentence: its `about`, or the beginning of its docstring.

    >>> summary_of(Later)
    'An entry that is loaded when it is first asked for: a module, or something in it behind a colon.'
    """
    text = " ".join(str(getattr(entry, "about", "") or inspect.getdoc(entry) or "").split())
    return SENTENCE_END.split(text, maxsplit=1)[0].rstrip(".") + "."


@cache
def additions(group: str) -> tuple[Any, ...]:
    """What other installed packages add to a list, e.g. `rankscope.measures`, in the order of their names.

    Asking costs a noticeable moment, so look among our own first. What cannot be loaded is named once on standard error
    and left out: everything else works without it.
    """
    from importlib.metadata import entry_points

    entries = sorted(entry_points(group=group), key=lambda entry: entry.name)
    loaded = (_loaded(entry, group) for entry in entries)
    return tuple(each for each in loaded if each is not None)


def _loaded(entry: EntryPoint, group: str) -> Any:
    """What an entry point names; None, and a line that says why, where that is nothing of use."""
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # whatever another package does while it is imported
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(getattr(found, "name", None), str):
            return found
        reason = "it has no name"
    package = entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]
    line = f"! {package} adds '{entry.name}' to {group}, but it cannot be used and is left out: {reason}"
    print(visible(line.replace("\n", " ")), file=sys.stderr)
    return None


def _name_of(entry: Any) -> str:
    return str(entry.name)


def _spellings(entries: Iterable[Any]) -> dict[str, Any]:
    """Names and aliases of entries; the name of one wins over the alias of another."""
    listed = tuple(entries)
    aliases = {alias: each for each in reversed(listed) for alias in getattr(each, "aliases", ())}
    return aliases | {_name_of(each): each for each in listed}
