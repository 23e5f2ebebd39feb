"""Items by words: where there is no index, those whose id, class or title has all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankscope.workbench.store.rows import Item


def items_with_words(items: Sequence[Item], words: str, title_of: Callable[[str], str]) -> list[int]:
    """Places of the items in whose id, class or title every word occurs, in upper or lower case.

    >>> items = [Item(0, "foxes/one.png", "foxes"), Item(1, "dogs/two.png", "dogs")]
    >>> items_with_words(items, "FOX one", lambda item: ""), items_with_words(items, "o", lambda item: "")
    ([0], [0, 1])
    """
    wanted = words.casefold().split()
    if not wanted:
        return []
    return [
        each.place
        for each in items
        if all(word in f"{each.id} {each.class_} {title_of(each.id)}".casefold() for word in wanted)
    ]
