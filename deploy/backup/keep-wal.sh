#!/bin/sh
# keep-wal.sh FOLDER: streams every change (WAL) of the database to FOLDER/wal until it is stopped. Run it permanently, under a
# supervisor, on the machine that stores the backups. It continues by itself after the server was unreachable.
# The replication slot makes the server keep WAL that is not fetched yet: set max_slot_wal_keep_size there, and monitor
# pg_replication_slots. Environment: PGHOST, PGPORT, PGUSER (a role with REPLICATION), PGPASSFILE.
set -eu
folder=${1:?FOLDER is missing}
mkdir -p -m 700 "$folder/wal"
pg_receivewal --no-password --slot=hufu_backup --create-slot --if-not-exists
exec pg_receivewal --no-password --slot=hufu_backup --synchronous --directory="$folder/wal"
