#!/bin/sh
# restore-dump.sh DUMP DATABASE: creates a new database from a dump. The server needs the extension hll.
set -eu
dump=${1:?DUMP is missing} database=${2:?DATABASE is missing}
createdb --no-password --template=template0 --encoding=UTF8 "$database"
pg_restore --no-password --dbname="$database" --jobs="$(nproc)" --exit-on-error --no-owner --no-privileges "$dump"
vacuumdb --no-password --quiet --analyze-only --jobs="$(nproc)" "$database"
