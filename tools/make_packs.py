"""Make the benchmark packs of src/rankscope/feedback/packs/data: topics by their rule, digests, stored baselines.

    python -m tools.make_packs [NAME ...]

Needs Corel-1k in $RANKSCOPE_DATA/corel1k for corel-composite. A pack that is made anew with other numbers is another
version: change `version` in it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

from rankscope.feedback.examples.items import features_digest
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.baselines import BaselineRules
from rankscope.feedback.normalization.generalisation import generalise
from rankscope.feedback.normalization.stored_baselines import BaselineStore, save_baselines
from rankscope.feedback.packs.pack import (
    FOLDER,
    Pack,
    described,
    labels_digest,
    pack_collection,
    pack_names,
    pack_topics,
    properties_of,
    read_pack,
)
from rankscope.inputs.collections.collection import COLLECTIONS
from tools.pack_rule import TopicRule, feasible_baselines


def place(pack: Pack) -> Path | None:
    """Where its collection lies; None for what ships."""
    name = str(pack.tables["collection"]["name"])
    return Path(os.environ["RANKSCOPE_DATA"]) / name if COLLECTIONS.find(name).layout else None


def make(name: str) -> None:
    """Write topics and digests into the file, and baselines next to it."""
    file = Path(str(FOLDER / f"{name}.toml"))
    pack = read_pack(name)
    collection, seed, rule = pack_collection(pack, place(pack)), pack.study["seed"], TopicRule()
    have, items = properties_of(pack, collection), described(pack, collection)
    plain, composite = rule.candidates(have, collection.classes, pack.reference)
    topics = pack_topics(pack, [*plain, *composite], have, pack.reference)
    found = feasible_baselines(items, topics, seed)
    text = file.read_text()
    text = put(text, "rule", f'"{rule}"')
    text = put(text, "elementary", listed([each for each in plain if each in found]))
    text = put(text, "composite", listed([each for each in composite if each in found]))
    text = put(text, "items", str(len(collection)))
    text = put(text, "labels", f'"{labels_digest(collection)}"')
    file.write_text(put(text, "digest", f'"{features_digest(items)}"', after="[features]"))
    chosen, methods = topics.named([*found]), [METHODS.parse(each) for each in pack.study["methods"]]
    how = {"examples": pack.study["examples"], "repeats": pack.study["repeats"]}
    known = BaselineStore(tuple(found.values()))
    learnt = generalise(items, chosen, methods, BaselineRules(seed=seed), earlier=known, **how)
    baselines = file.with_name(str(pack.tables["baselines"]["file"]))
    save_baselines(learnt.baselines, baselines, learnt.results)
    digest = hashlib.sha256(baselines.read_bytes()).hexdigest()
    file.write_text(put(file.read_text(), "digest", f'"{digest}"', after="[baselines]"))


def listed(names: list[str]) -> str:
    """A list of texts as TOML has it, one a line."""
    return "[\n" + "".join(f"  '{name}',\n" for name in names) + "]"


def put(text: str, key: str, value: str, after: str = "") -> str:
    """The value of a key replaced; of several keys of that name the first behind a heading."""
    start = text.index(after) if after else 0
    pattern = re.compile(rf"^{key} = (?:\[\]|\[\n.*?\n\]|[^\n]*)", re.MULTILINE | re.DOTALL)
    return text[:start] + pattern.sub(lambda _: f"{key} = {value}", text[start:], count=1)


if __name__ == "__main__":
    for each in sys.argv[1:] or pack_names():
        make(each)
