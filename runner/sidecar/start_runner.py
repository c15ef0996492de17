"""Process 1 of the container with the programs: becomes the runner as soon as it has its streams."""

import json
import os
import time

from .memory import open_counters
from .runner_streams import connect
from .unix_sockets import send
from .walls import build, describe

_PAUSE = 0.005


def main(arguments):
    """Takes the abstract name of the streams, the sidecar's user, the directory of the filters of system calls, how many
    processes the user may have, how many bytes a file may have, and the command of the runner.
    """
    name, user, filters, processes, file_bytes, *command = arguments
    while True:
        # The kubelet starts the containers one after another, and this one may be the first.
        handed_over = connect(name, int(user))
        if handed_over is not None:
            break
        time.sleep(_PAUSE)
    connection, descriptors = handed_over
    build(filters, int(processes), int(file_bytes))
    counters = open_counters()
    send(connection, json.dumps(describe()).encode(), counters)
    connection.close()
    for descriptor in counters:
        os.close(descriptor)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    # Every container gets variables that say where the API server is.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KUBERNETES_")}
    os.execvpe(command[0], command, environment)
