# Runs one start of an attempt: start.sh START_FOLDER COMMAND... It may be started twice; only one goes on. It is the
# leader of the process group, and writes down how its command ended, in case that nobody is left to be told.
folder=$1
shift
mkdir "$folder/claimed" 2>/dev/null || exit 98
echo $$ >"$folder/claimed/pid.new"
mv "$folder/claimed/pid.new" "$folder/claimed/pid"
# Room for the exit code: the command may end because the disk is full.
echo '   ' >"$folder/exit.new"
# Signals to the group are for the command; the shell stays to tell what became of it.
trap : TERM INT HUP
ulimit -c 0
nice -n 5 "$@"
code=$?
echo "$code" 1<>"$folder/exit.new" &&
  mv "$folder/exit.new" "$folder/exit"
exit "$code"
