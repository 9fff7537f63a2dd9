"""Tells which upstream fixes a pinned commit lacks, and which of them are likely to bite."""
