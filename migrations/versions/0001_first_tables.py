"""The first tables of the store.

Revision 0001, no predecessor.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "change",
        sa.Column("id", sa.Integer(), nullable=False),
        _text("upstream"),
        _text("sha"),
        _text("branch"),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=True),
        _text("kind"),
        sa.Column("breaking", sa.Boolean(), nullable=False),
        _time("committed_at"),
        _text("title"),
        _text("message"),
        _text("words"),
        _text("files"),
        _text("code"),
        _text("origins"),
        _text("raw_body"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("change_by_number", "change", ["upstream", "number"], unique=False)
    op.create_index("change_by_position", "change", ["upstream", "position"], unique=False)
    op.create_index("change_by_sha", "change", ["upstream", "sha"], unique=True)
    op.create_table("cursor", _text("name"), _text("value"), sa.PrimaryKeyConstraint("name"))
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        _text("pin"),
        _text("item"),
        _text("state"),
        _time("at"),
        _text("reason"),
        _text("until", nullable=True),
        _text("by", nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_decision_pin", "decision", ["pin"], unique=False)
    op.create_table(
        "delivery",
        _text("key"),
        _text("channel"),
        _text("state"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        _time("next_try_at", nullable=True),
        _time("lease_until", nullable=True),
        _time("created_at"),
        _text("error", nullable=True),
        _text("payload"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_delivery_channel", "delivery", ["channel"], unique=False)
    op.create_index("ix_delivery_created_at", "delivery", ["created_at"], unique=False)
    op.create_table(
        "document",
        _text("kind"),
        _text("key"),
        _text("body"),
        sa.PrimaryKeyConstraint("kind", "key"),
    )
    op.create_table(
        "finding",
        _text("pin"),
        _text("item"),
        sa.Column("place", sa.Integer(), nullable=True),
        _time("first_seen_at"),
        sa.Column("is_seen", sa.Boolean(), nullable=False),
        _text("body", nullable=True),
        sa.PrimaryKeyConstraint("pin", "item"),
    )
    op.create_table("findings", _text("pin"), _text("fingerprint"), sa.PrimaryKeyConstraint("pin"))
    op.create_table(
        "issue",
        _text("upstream"),
        sa.Column("number", sa.BigInteger(), nullable=False),
        _text("state"),
        _time("updated_at"),
        _text("title"),
        _text("body"),
        _text("raw_body"),
        sa.PrimaryKeyConstraint("upstream", "number"),
    )
    op.create_index("ix_issue_updated_at", "issue", ["updated_at"], unique=False)
    op.create_table(
        "links",
        _text("upstream"),
        _text("sha"),
        _text("body"),
        sa.PrimaryKeyConstraint("upstream", "sha"),
    )
    op.create_table(
        "walk",
        _text("upstream"),
        _text("head"),
        _time("synced_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("upstream"),
    )
    op.create_table(
        "words",
        _text("upstream"),
        sa.Column("number", sa.BigInteger(), nullable=False),
        _text("body"),
        sa.PrimaryKeyConstraint("upstream", "number"),
    )
    op.create_table(
        "change_file",
        sa.Column("change_id", sa.Integer(), nullable=False),
        _text("path"),
        sa.ForeignKeyConstraint(["change_id"], ["change.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change_id", "path"),
    )
    op.create_index("ix_change_file_path", "change_file", ["path"], unique=False)


def downgrade() -> None:
    for table in (
        "change_file", "words", "walk", "links", "issue", "findings", "finding", "document",
        "delivery", "decision", "cursor", "change",
    ):  # fmt: skip
        op.drop_table(table)
