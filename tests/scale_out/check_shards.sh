#!/usr/bin/env bash
# check_shards.sh MHA_VIZ: shards made by GNU parallel, merged without the inputs, have the bytes of one
# run. Skips, saying so (exit 77), where GNU parallel is not installed.
set -euo pipefail
mha_viz=$(realpath "$1")
examples=$(cd "$(dirname "$0")/../../data/examples" && pwd)

# moreutils has another program of that name.
if ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
  echo "SKIPPED: GNU parallel is not installed (Debian package: parallel)"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder  # parallel keeps its state there
mkdir inputs parts one many
# The NDJSON refers to the tensors beside it.
cp "$examples/creatures.ndjson" "$examples/creature-heads.safetensors" inputs
formats=(text json ndjson csv)

for format in "${formats[@]}"; do
  "$mha_viz" score inputs/creatures.ndjson --format "$format" -o "one/scores.$format"
done
parallel --will-cite --jobs 2 "$mha_viz" score inputs/creatures.ndjson --threads 1 \
  --shard {}/4 -o parts/part{}.json ::: 1 2 3 4
rm -r inputs
for format in "${formats[@]}"; do
  "$mha_viz" merge parts/part*.json --format "$format" -o "many/scores.$format"
  [ -s "one/scores.$format" ]
  cmp "one/scores.$format" "many/scores.$format"
  echo "$format: $(stat -c %s "one/scores.$format") bytes, the same"
done
