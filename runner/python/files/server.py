"""Answers the host's requests about files, one after another."""

import errno
import os

from ..shared.frames import FILE_ANSWER, FILE_REQUEST, decode, encode, with_data
from . import operations
from .places import Refused
from .transfers import Transfers

# Emscripten has numbers of its own, but the same names.
_names = errno.errorcode


class FileServer:
    """Keeps the files that are read or written in pieces, and nothing else."""

    def __init__(self):
        self._transfers = Transfers()

    def answer(self, content, frame):
        """Returns the answer to the request in `frame`, in front of which there was `content`; None if there was nothing."""
        _, body = decode(frame, (FILE_REQUEST,))
        result, data, error = None, None, None
        try:
            result, data = self._do(body, content)
        except Refused as refused:
            error = {"errno": refused.errno, "message": str(refused)}
        except OSError as failure:
            error = _described(failure.errno or errno.EIO)
        except ValueError as failure:
            # Such as a name with characters that no name of a file can have.
            error = {"errno": "EINVAL", "message": str(failure)}
        except MemoryError:
            error = _described(errno.ENOMEM)
        except Exception as failure:
            # In the embedded sandbox, a program can change any function that is used here.
            error = {"errno": "EIO", "message": f"{type(failure).__name__} was raised"}
        answer = encode(FILE_ANSWER, {"request_id": body["request_id"], "error": error, "result": result})
        return answer if data is None else with_data(data, answer)

    def close(self):
        """Removes the files that are not complete."""
        self._transfers.release_all()

    def _do(self, body, content):
        """Returns the result and the data of an answer."""
        operation = body["operation"]
        if operation == "read":
            return self._transfers.read(body)
        if operation == "write":
            return self._transfers.write(body, content), None
        if operation == "append":
            return operations.append(body, content), None
        if operation == "release":
            return self._transfers.release(body), None
        if operation in ("glob", "grep", "tree"):
            # Imported here, because it takes regular expressions.
            from . import search

            return getattr(search, operation)(body), None
        if operation not in _OPERATIONS:
            raise Refused("ENOSYS", "this sandbox does not know the operation")
        return _OPERATIONS[operation](body), None


def _described(number):
    # The limit of the size of a file is the size of `/tmp`.
    number = errno.ENOSPC if number == errno.EFBIG else number
    return {"errno": _names.get(number, "EIO"), "message": os.strerror(number)}


_OPERATIONS = {"stat": operations.state_of, "list": operations.entries_of, "edit": operations.edit, "remove": operations.remove}
