#!/usr/bin/env bash
# run_page_tests.sh unit | browser MHA_VIZ FOLDER: tests of the interactive page, by node's own runner; those in
# a browser drive Debian's Chromium through playwright-core, which npm puts into FOLDER. Says
# "SKIPPED:" where node, npm or the browser is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIPPED: $1"
  exit 0
}

command -v node >/dev/null || skip "no node here"
if [ "$1" = unit ]; then
  exec node --test "$here"/unit/
fi

program=$2
folder=$3
browser=${MHA_CHROMIUM:-/usr/bin/chromium}
[ -x "$browser" ] || skip "no $browser here"
command -v npm >/dev/null || skip "no npm here"
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/package-lock.json"; then
  cp "$here/package.json" "$folder/"
  (cd "$folder" && cp "$here/package-lock.json" . &&
    npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1) || {
    rm -f "$folder/package-lock.json"
    skip "npm could not install playwright-core"
  }
fi
export MHA_PROGRAM=$program MHA_PAGE_FOLDER=$folder MHA_CHROMIUM=$browser
exec node --test "$here"/browser/
