"""The vocabulary: frozen records that every part imports and that import nothing themselves.

Pure; no I/O. Times are timezone-aware UTC. ``sha`` is always the full 40-hex object name. A
``position`` counts first-parent commits of an upstream's tracked branch from the base of the
mirrored walk: 0 is the first commit after the base, ``BEFORE_RANGE`` (-1) stands for the base
itself and everything older.
"""
