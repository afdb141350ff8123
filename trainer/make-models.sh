#!/bin/sh
# Makes both tiny models anew from nothing: environment, training, export, fixtures, measurement.
#   trainer/make-models.sh [WORK_FOLDER]
# Takes about an hour on two cores. Trainings continue from their last checkpoint in the work folder
# (.cache/tiny-models unless given); delete it to start from the beginning.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-"$root/.cache/tiny-models"}
"$root/trainer/setup.sh" --dev
export PYTHONPATH="$root/trainer"
run() {
  "$root/.venv/bin/python" -m "fanfold_trainer.$@"
}
run train_embed --work "$work/embed"
run train_chat --work "$work/chat"
run release --work "$work" --models "$root/models"
run fixtures --models "$root/models"
run measure --models "$root/models"
