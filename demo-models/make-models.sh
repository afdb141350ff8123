#!/bin/sh
# Makes both tiny models anew from nothing: environment, training, export, fixtures, measurement.
#   demo-models/make-models.sh [WORK_FOLDER]
# Takes less than an hour on two cores: each model trains on one. Trainings continue from their last checkpoint in
# the work folder (.cache/tiny-models unless given); delete it to start from the beginning.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-"$root/.cache/tiny-models"}
"$root/trainer/setup.sh" --dev
export PYTHONPATH="$root/demo-models"
run() {
  module=$1
  shift
  "$root/.venv/bin/python" -m "fanfold_demo_models.$module" "$@"
}
run train_embed --work "$work/embed" &
embed=$!
trap 'kill "$embed" 2>/dev/null || true' EXIT
run train_chat --work "$work/chat"
wait "$embed"
trap - EXIT
run release --work "$work" --models "$root/models"
run fixtures --models "$root/models"
run measure --models "$root/models"
