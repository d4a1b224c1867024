#!/bin/sh
# dump.sh FOLDER [OPTION …]: dumps one database to FOLDER/dump-TIME and prints its name. Use it to move to another version of
# PostgreSQL or to look up data. It does not replace the backup: later changes are lost. Options are passed to pg_dump.
# The database is PGDATABASE; the other environment variables are those of backup.sh.
set -eu
folder=${1:?FOLDER is missing}
shift
mkdir -p -m 700 "$folder"
name="$folder/dump-$(date -u +%Y%m%dT%H%M%SZ)"
pg_dump --no-password --format=directory --jobs="$(nproc)" --compress=1 --no-owner --no-privileges --file="$name.part" "$@"
mv "$name.part" "$name"
echo "$name"
