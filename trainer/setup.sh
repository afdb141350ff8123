#!/bin/sh
# Makes the Python environment .venv in the repository root, once for each set of requirements.
#   trainer/setup.sh         what loading and training need
#   trainer/setup.sh --dev   also what exporting and testing need
# A second run with unchanged requirements does nothing. Runs at the same time wait for each other.
set -eu
trainer=$(cd "$(dirname "$0")" && pwd)
venv=${FANFOLD_VENV:-"$trainer/../.venv"}
python=${PYTHON:-python3}
mode=run
files="$trainer/requirements.txt"
if [ "${1:-}" = "--dev" ]; then
  mode=dev
  files="$files $trainer/requirements-dev.txt"
fi
# shellcheck disable=SC2086 # a list of files
wanted=$(cat $files | sha256sum | cut -d ' ' -f 1)

is_ready() {
  [ -x "$venv/bin/python" ] && [ "$(cat "$venv/.requirements-$mode" 2>/dev/null)" = "$wanted" ]
}

is_ready && exit 0

mkdir -p "$venv"
exec 9>"$venv/.setup-lock"
if command -v flock >/dev/null 2>&1; then
  flock 9
fi
is_ready && exit 0

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "trainer/setup.sh: Python 3.11 or newer is needed (set PYTHON to choose one)" >&2
  exit 1
fi
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
# The stamps are written last: an interrupted install is repeated.
rm -f "$venv/.requirements-run" "$venv/.requirements-dev"
# torch first: it decides which builds of the others fit.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$(grep '^torch==' "$trainer/requirements.txt")"
for file in $files; do
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$file"
done
cat "$trainer/requirements.txt" | sha256sum | cut -d ' ' -f 1 >"$venv/.requirements-run"
if [ "$mode" = dev ]; then
  echo "$wanted" >"$venv/.requirements-dev"
fi
