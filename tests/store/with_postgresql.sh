#!/usr/bin/env bash
# Runs the tests marked `postgresql` against a server of its own, on a socket in a scratch folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | tail -n 1)
[ -n "$bin" ] || { echo "no PostgreSQL server: install the package postgresql" >&2; exit 1; }
scratch=$(mktemp -d)
as_server() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown postgres "$scratch"
stop() { as_server "$bin/pg_ctl" -D "$scratch/data" -m immediate stop > /dev/null 2>&1 || true; rm -rf "$scratch"; }
trap stop EXIT
as_server "$bin/initdb" -D "$scratch/data" -U watcher -A trust -E UTF8 > /dev/null
as_server "$bin/pg_ctl" -D "$scratch/data" -w -l "$scratch/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$scratch' -c fsync=off" start > /dev/null
as_server "$bin/createdb" -h "$scratch" -U watcher watcher
WATCHER_TEST_POSTGRESQL="postgresql://watcher@/watcher?host=$scratch" "$PYTHON" -m pytest -m postgresql -n 0
