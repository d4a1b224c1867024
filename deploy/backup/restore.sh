#!/bin/sh
# restore.sh BASE WAL DATA [MOMENT]: creates a data folder from a copy of backup.sh and the WAL of keep-wal.sh, as of MOMENT
# ('2026-11-15 09:30:00+08'), or of the last change. Then start PostgreSQL on DATA: it is ready once pg_is_in_recovery() is false.
# From then on it has its own history: use a new folder for its backups at once.
set -eu
base=${1:?BASE is missing} wal=${2:?WAL is missing} data=${3:?DATA is missing} moment=${4:-}
if [ -n "$(ls -A "$data" 2>/dev/null)" ]; then
  echo "$data isn't empty" >&2
  exit 1
fi
pg_verifybackup --quiet "$base"
mkdir -p -m 700 "$data"
cp -a --reflink=auto "$base/." "$data"
{
  # The last WAL file that was fetched is incomplete.
  echo "restore_command = 'cp \"$wal/%f\" \"%p\" 2>/dev/null || cp \"$wal/%f.partial\" \"%p\" 2>/dev/null'"
  [ -z "$moment" ] || printf "recovery_target_time = '%s'\nrecovery_target_action = 'promote'\n" "$moment"
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
