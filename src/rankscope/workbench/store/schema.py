"""The tables of a project, in the dialects of SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Final

VERSION: Final = "2"
WITHOUT_DIGESTS: Final = "1"  # the version before
TABLES: Final = """
CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE item (place {whole} PRIMARY KEY, id text NOT NULL UNIQUE, class text NOT NULL);
CREATE TABLE query (
    place {whole} PRIMARY KEY, id text NOT NULL UNIQUE, text text NOT NULL, narrative text NOT NULL,
    example text, class text NOT NULL
);
CREATE TABLE assessor (
    id {whole} PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL, role text NOT NULL, token_hash text,
    active {whole} NOT NULL
);
CREATE TABLE guideline (version {whole} PRIMARY KEY, text text NOT NULL, at_us {whole} NOT NULL);
CREATE TABLE design (
    version {whole} PRIMARY KEY, method text NOT NULL, seed {whole} NOT NULL, budget {whole}, runs text NOT NULL,
    digest text NOT NULL, at_us {whole} NOT NULL
);
CREATE TABLE pool (
    version {whole} NOT NULL, query text NOT NULL, item text NOT NULL, stratum text NOT NULL, pi {number},
    origin text NOT NULL, drawn {whole}, place {whole} NOT NULL, PRIMARY KEY (version, query, item)
);
CREATE TABLE event (
    id {whole} PRIMARY KEY, at_us {whole} NOT NULL, assessor {whole} NOT NULL, key text NOT NULL, kind text NOT NULL,
    query text, item text, grade {whole}, ms {whole}, of {whole}, detail text, pool {whole}, guideline {whole},
    digest text NOT NULL, UNIQUE (assessor, key)
)
"""
APPEND_ONLY: Final = "the journal is append-only"
SQLITE_TRIGGERS: Final = (  # the first one is taken away while digests are added
    f"CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
    f"CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
    # INSERT OR REPLACE would delete a row without asking the trigger above
    "CREATE TRIGGER event_new BEFORE INSERT ON event"
    " WHEN EXISTS (SELECT 1 FROM event WHERE id = NEW.id OR (assessor = NEW.assessor AND key = NEW.key))"
    f" BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
)
POSTGRESQL_TRIGGERS: Final = (
    "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
    f" $$ BEGIN RAISE EXCEPTION '{APPEND_ONLY}'; END $$",
    "CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    "CREATE TRIGGER event_kept BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
)


def statements(whole: str, number: str, triggers: tuple[str, ...]) -> list[str]:
    """What makes an empty store: `whole` and `number` are the types of whole and of all numbers."""
    return [*TABLES.format(whole=whole, number=number).strip().split(";\n"), *triggers]
