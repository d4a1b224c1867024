#!/bin/sh
# keep-wal.sh FOLDER: fetches every change of the database as it is made into FOLDER/wal, until it is stopped. Runs all the
# time, under a supervisor, on the machine that keeps the backups; it goes on by itself after the server was away.
# The slot makes the server keep what isn't fetched yet: set max_slot_wal_keep_size there, and watch pg_replication_slots.
# Which server: PGHOST, PGPORT, PGUSER (a role with REPLICATION), PGPASSFILE.
set -eu
folder=${1:?FOLDER is missing}
mkdir -p -m 700 "$folder/wal"
pg_receivewal --no-password --slot=hufu_backup --create-slot --if-not-exists
exec pg_receivewal --no-password --slot=hufu_backup --synchronous --directory="$folder/wal"
