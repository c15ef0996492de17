"""Process 1 of the container with the programs: becomes the runner as soon as it has its streams."""

import os
import time

from .runner_streams import receive

_PAUSE = 0.005


def main(arguments):
    """Takes the abstract name of the streams, the sidecar's user, and the command of the runner."""
    name, user, *command = arguments
    while True:
        # The kubelet starts the containers one after another, and this one may be the first.
        descriptors = receive(name, int(user))
        if descriptors is not None:
            break
        time.sleep(_PAUSE)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.execvp(command[0], command)
