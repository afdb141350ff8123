#!/bin/sh
# Runs a program of this checkout: run.sh FILE [ARGUMENTS]. Installs what is missing and uses the pinned Node. The shell
# is replaced by the program, so that signals and the exit code need no passing on.
here=$(dirname "$0")
node=$(node "$here/install.mjs") || exit 1
# What Node compiled once it need not compile again: half the time until a command begins.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$(cd "$here/.." && pwd)/.cache/compiled}"
exec "$node" "$@"
