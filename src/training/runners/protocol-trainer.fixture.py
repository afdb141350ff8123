"""Speaks the protocol without learning anything. What it does is in its specification, under `optim`: `max_steps` steps of
10 ms, and in `base.name` words for what goes wrong."""
import argparse, json, os, signal, subprocess, sys, threading, time

parser = argparse.ArgumentParser()
parser.add_argument("--spec")
path = parser.parse_args().spec
spec = json.load(open(path))
here = os.path.dirname(path)
out = os.path.join(here, spec["out_dir"])
os.makedirs(out, exist_ok=True)
words = spec["base"].get("name", "").split()
ends = []
signal.signal(signal.SIGTERM, lambda *_: None if "deaf" in words else ends.append("cancelled"))
began = time.monotonic()
log = os.path.join(out, "events.jsonl")
seq = sum(1 for _ in open(log)) if os.path.exists(log) else 0


def watch():
    while os.read(0, 4096):
        pass
    ends.append("orphan")


if spec.get("orphan", "stop") == "stop":
    threading.Thread(target=watch, daemon=True).start()


def emit(event, **fields):
    global seq
    seq += 1
    now = int((time.monotonic() - began) * 1000)
    line = json.dumps({"event": event, "seq": seq, "t": now, "active_ms": now, **fields})
    with open(log, "a") as file:
        file.write(line + "\n")
    print("@evt " + line, flush=True)


emit("hello", protocol=1, versions={}, device="cpu", threads=1, pid=os.getpid())
if "environment" in words:
    print("ENV " + json.dumps(dict(os.environ)), flush=True)
if "list" in words:
    print("OUT", *sorted(name for name in os.listdir(out) if name.startswith("ckpt-")), flush=True)
if "garbage" in words:
    sys.stdout.buffer.write(b"\xff\xfe\x00@evt {]\n@evt {\"event\":\"progress\"}\n@evt 7\n" + b"x" * 300_000 + b"\n\r\n\n")
    sys.stdout.buffer.flush()
if "child" in words:
    child = subprocess.Popen(["sleep", "300"])
    print("CHILD", child.pid, flush=True)
if "crash" in words:
    os.kill(os.getpid(), signal.SIGKILL)
if "bad" in words:
    emit("failed", error={"code": "bad_spec", "message": "No.", "hint": None, "retryable": False})
    sys.exit(20)
emit("started", resumed_step=0)
if "hang" in words:
    time.sleep(300)
for step in range(1, spec["optim"]["max_steps"] + 1):
    time.sleep(0.01)
    emit("progress", step=step, loss=1 / step)
    print(f"text {step}", flush=True)
    if ends:
        break
with open(os.path.join(out, "result.txt"), "w") as file:
    file.write(f"{spec['job_id']} {step}")
if "orphan" in ends:
    sys.exit(75)
emit(ends[0] if ends else "finished", best={"step": step})
print("a last line without an end", end="")
sys.exit(10 if ends else 0)
