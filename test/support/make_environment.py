"""
Makes a Python environment once for its requirements: make_environment.py FOLDER REQUIREMENTS [OPTION OF PIP...]. Whoever asks for it
meanwhile, also from another process, waits until it is whole.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import time
import venv

folder, requirements, *options = sys.argv[1:]
python = os.path.join(folder, "bin", "python")
stamp = os.path.join(folder, ".requirements")
with open(requirements, "rb") as file:
    wanted = hashlib.sha256(file.read()).hexdigest()


def is_made():
    try:
        with open(stamp) as file:
            return file.read() == wanted
    except FileNotFoundError:
        return False


def install():
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-input", *options, "-r", requirements], check=True)


os.makedirs(os.path.dirname(folder), exist_ok=True)
# Beside the folder, which is emptied. It is free again when this process ends, however it does.
with open(folder + ".lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not is_made():
        venv.create(folder, clear=True, symlinks=True, with_pip=True)
        try:
            install()
        except subprocess.CalledProcessError:
            # Registries have moments in which they do not answer.
            time.sleep(10)
            install()
        with open(stamp, "w") as file:
            file.write(wanted)
