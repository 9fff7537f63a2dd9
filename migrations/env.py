"""Alembic's entry: runs the migrations on the connection that watcher.store.migrate hands in.

There is no alembic.ini and no address here: the caller owns the transaction and the lock.
"""

from alembic import context

from watcher.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
