#!/usr/bin/env bash
# run_page_tests.sh unit | program MHA_VIZ | browser MHA_VIZ FOLDER | firefox MHA_VIZ FOLDER: tests of
# the interactive page by node's own runner: of its modules, of the file that the program writes, of
# the page in Debian's Chromium, driven through playwright-core, which npm puts into FOLDER, and of
# the page in Firefox, driven by its own protocol; files are written to FOLDER. Says "SKIPPED:" where
# node, npm or the browser is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIPPED: $1"
  exit 0
}

command -v node >/dev/null || skip "no node here"
if [ "$1" = unit ]; then
  # live*.test.mjs need the program and have a test of their own (tests/live).
  exec node --test $(find "$here"/unit -name '*.test.mjs' ! -name 'live*.test.mjs' | sort)
fi
if [ "$1" = program ]; then
  export MHA_PROGRAM=$2
  exec node --test "$here"/program/*.test.mjs
fi

program=$2
folder=$3
if [ "$1" = firefox ]; then
  firefox=${MHA_FIREFOX:-$(command -v firefox-esr || command -v firefox || true)}
  [ -x "$firefox" ] || skip "no Firefox here (firefox-esr or firefox on the PATH, or MHA_FIREFOX)"
  mkdir -p "$folder"
  export MHA_PROGRAM=$program MHA_PAGE_FOLDER=$folder MHA_FIREFOX=$firefox
  exec node --test "$here"/browser/firefox.test.mjs
fi

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
exec node --test $(find "$here"/browser -name '*.test.mjs' ! -name firefox.test.mjs | sort)
