"""The tables as statements name them, beside the tables as the database has them."""

from watcher.store.schema import METADATA
from watcher.store.tables import TABLES


def test_statements_name_the_tables_and_columns_of_the_schema_with_their_types() -> None:
    named = {table.name: [(c.name, type(c.type)) for c in table.c] for table in TABLES}

    assert named == {
        name: [(c.name, type(c.type)) for c in table.columns]
        for name, table in METADATA.tables.items()
    }
