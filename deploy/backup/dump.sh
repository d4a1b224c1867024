#!/bin/sh
# dump.sh FOLDER [OPTION …]: writes one database as it stands to FOLDER/dump-TIME and prints its name: to move to another
# version of PostgreSQL or to look things up. It is no backup to rely on: what comes after it is lost. Options go to pg_dump.
# Which database: PGDATABASE, and as backup.sh.
set -eu
folder=${1:?FOLDER is missing}
shift
mkdir -p -m 700 "$folder"
name="$folder/dump-$(date -u +%Y%m%dT%H%M%SZ)"
pg_dump --no-password --format=directory --jobs="$(nproc)" --compress=1 --no-owner --no-privileges --file="$name.part" "$@"
mv "$name.part" "$name"
echo "$name"
