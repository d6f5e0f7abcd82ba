"""A process that has loaded the libraries, and forks one for each job: loading is most of a job.

It is asked over a socket, by `forked_python` in the place of Python: a job's words, folder,
environment and three streams; the answer is its exit status. Jobs import the package that their
environment names, so nothing here may import the project's, nor pandas, which jobs do without.
`python job_server.py SOCKET` serves until its standard input ends.
"""

import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import traceback
from pathlib import Path

LOADED = (
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numpy",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.parquet",
    "pydantic.json_schema",
    "pydantic.main",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "yaml",
)


def serve(path: str) -> None:
    """Fork for each question until standard input ends."""
    for name in LOADED:
        importlib.import_module(name)
    assert not {"pandas", "attention_separation"} & sys.modules.keys()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{path}.new")
        listener.listen(64)
        Path(f"{path}.new").rename(path)
        alive = set()
        while True:
            ready, _, _ = select.select([listener, 0], [], [])
            if 0 in ready:
                return
            question, _ = listener.accept()
            with question:
                process = os.fork()
                if not process:
                    listener.close()
                    answer(question)
            alive = {one for one in {*alive, process} if not os.waitpid(one, os.WNOHANG)[0]}


def answer(question: socket.socket) -> None:
    """Run one job, say its exit status, and end this process."""
    status = 1
    try:
        size, streams, _, _ = socket.recv_fds(question, 8, 3)
        text = b""
        while len(text) < int.from_bytes(size, "big"):
            text += question.recv(1 << 20)
        arguments, folder, environment = marshal.loads(text)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        status = run(arguments, folder, environment)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        question.sendall(bytes([status]))
        os._exit(status)


def run(arguments: list[str], folder: str, environment: dict[str, str]) -> int:
    """`python -m MODULE ...` in a folder; its exit status."""
    minus_m, module, *words = arguments
    assert minus_m == "-m"
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    own = environment.get("PYTHONPATH", "").split(os.pathsep)
    # This file's own folder stood first.
    sys.path[:1] = [folder, *(str(Path(folder, part)) for part in own if part)]
    sys.argv = [module, *words]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, int) or end.code is None:
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    serve(sys.argv[1])
