#!/bin/sh
# forget.sh FOLDER DAYS: deletes copies older than DAYS, and the WAL that only they need. The newest copy always stays. Backups
# contain deleted accounts: keep them no longer than the privacy policy says.
set -eu
folder=${1:?FOLDER is missing} days=${2:?DAYS is missing}
newest=$(ls -d "$folder"/base-*Z | tail -n 1)
find "$folder" -maxdepth 1 -name 'base-*' -mtime "+$days" ! -path "$newest" -exec rm -rf {} +
oldest=$(ls -d "$folder"/base-*Z | head -n 1)
pg_archivecleanup "$folder/wal" "$(sed -n 's/^START WAL LOCATION: .*(file \(.*\))$/\1/p' "$oldest/backup_label")"
