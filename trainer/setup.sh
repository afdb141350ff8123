#!/bin/sh
# Makes the Python environment .venv in the repository root, once for each set of requirements.
#   trainer/setup.sh         what training needs
#   trainer/setup.sh --dev   also what testing and making the demo models need
# TORCH_BUILD=gpu installs the builds for GPUs where none is seen, as while an image is built.
# A second run with unchanged requirements does nothing. Runs at the same time wait for each other. It says on standard
# output what it does; the last line on standard error says what is wrong.
set -eu
trainer=$(cd "$(dirname "$0")" && pwd)
venv=${FANFOLD_VENV:-"$trainer/../.venv"}
python=${PYTHON:-python3}
mode=run
files="$trainer/requirements.txt"
if [ "${1:-}" = "--dev" ]; then
  mode=dev
  files="$files $trainer/requirements-dev.txt $trainer/../demo-models/requirements.txt"
fi

digest() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# shellcheck disable=SC2086 # a list of files
wanted=$(cat $files | digest)

is_ready() {
  [ -x "$venv/bin/python" ] && [ "$(cat "$venv/.requirements-$mode" 2>/dev/null)" = "$wanted" ]
}

is_ready && exit 0

fail() {
  echo "trainer/setup.sh: $1" >&2
  exit 1
}

command -v "$python" >/dev/null 2>&1 ||
  fail "there is no $python; install Python 3.11 or newer, or set PYTHON to one"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "$python is too old; install Python 3.11 or newer, or set PYTHON to one"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
  fail "$python cannot make environments; install its venv module (Debian and Ubuntu: apt install python3-venv)"

mkdir -p "$venv" || fail "$venv cannot be written"
exec 9>"$venv/.setup-lock" || fail "$venv cannot be written"
# The lock is that of the open file, which this shell keeps when Python has ended.
"$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
is_ready && exit 0

echo "Making the trainer's Python environment. This happens once and takes a few minutes."
# One that was interrupted while it was made has a python and no pip.
"$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$python" -m venv "$venv" ||
  fail "$python could not make the environment in $venv"
# The stamps are written last: an interrupted install is repeated.
rm -f "$venv/.requirements-run" "$venv/.requirements-dev"

# It keeps the lock too: should this shell be killed, others wait until what it was installing is installed.
run_pip() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-compile "$@"
}

# Once more after a pause: registries have moments in which they do not answer.
install() {
  run_pip "$@" || { sleep 10 && run_pip "$@"; } ||
    fail "pip could not install what the trainer needs; the lines before this one say why"
}

torch=$(grep '^torch==' "$trainer/requirements.txt" || true)
# torch first: it decides which builds of the others fit.
if [ -n "$torch" ]; then
  echo "Installing $torch."
  # Without a GPU the builds for CPUs will do, which are a tenth as large; where they cannot be had, any build.
  if [ "$(uname -s)" = Linux ] && [ "${TORCH_BUILD:-}" != gpu ] && ! command -v nvidia-smi >/dev/null 2>&1; then
    # Only torch comes from its own index; what it needs, and all else, comes from where pip is set up to look.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-compile --retries 1 --timeout 20 --no-deps \
      --index-url "${TORCH_INDEX_URL:-https://download.pytorch.org/whl/cpu}" "$torch+cpu" 2>/dev/null || echo "There is no build for CPUs here; installing the usual one."
  fi
  install "$torch"
fi
for file in $files; do
  echo "Installing ${file#"$trainer/"}."
  install -r "$file"
done
# Trainers write no bytecode. Half of what pip would compile nobody loads here: tests, and models of other architectures.
unused='/tests?/|/transformers/models/(?!auto/|qwen|llama/|bert/|bloom/|encoder_decoder/|__init__)|/(pip|setuptools|networkx)/'
# Some files of libraries are templates that do not compile.
"$venv/bin/python" -m compileall -q -x "$unused" "$venv"/lib/python3*/site-packages >/dev/null 2>&1 || true
digest <"$trainer/requirements.txt" >"$venv/.requirements-run"
if [ "$mode" = dev ]; then
  echo "$wanted" >"$venv/.requirements-dev"
fi
echo "The trainer's Python environment is ready."
