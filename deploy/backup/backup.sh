#!/bin/sh
# backup.sh FOLDER: copies the whole running server to FOLDER/base-TIME, verifies the checksums of the copy and prints its name.
# Run it once a day in addition to keep-wal.sh, with the same environment variables.
set -eu
folder=${1:?FOLDER is missing}
mkdir -p -m 700 "$folder"
name="$folder/base-$(date -u +%Y%m%dT%H%M%SZ)"
pg_basebackup --no-password --pgdata="$name.part" --checkpoint=fast --manifest-checksums=SHA256
pg_verifybackup --quiet "$name.part"
mv "$name.part" "$name"
echo "$name"
