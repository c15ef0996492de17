"""Answers the host's requests about files, one after another."""

import binascii
import errno
import os

from ..shared.frames import FILE_ANSWER, FILE_REQUEST, decode, encode
from . import operations
from .places import Refused
from .transfers import Transfers

# Emscripten has numbers of its own, but the same names.
_names = errno.errorcode


class FileServer:
    """Keeps the files that are read or written in pieces, and nothing else."""

    def __init__(self):
        self._transfers = Transfers()

    def answer(self, line):
        """Returns the answer to the request in `line`."""
        _, body = decode(line, (FILE_REQUEST,))
        result, data, error = None, None, None
        try:
            result, data = self._do(body)
        except Refused as refused:
            error = {"errno": refused.errno, "message": str(refused)}
        except OSError as failure:
            error = {"errno": _names.get(failure.errno, "EIO"), "message": os.strerror(failure.errno or errno.EIO)}
        except ValueError as failure:
            # Such as a name with characters that no name of a file can have.
            error = {"errno": "EINVAL", "message": str(failure)}
        except MemoryError:
            error = {"errno": "ENOMEM", "message": os.strerror(errno.ENOMEM)}
        except Exception as failure:
            # In the embedded sandbox, a program can change any function that is used here.
            error = {"errno": "EIO", "message": f"{type(failure).__name__} was raised"}
        return encode(FILE_ANSWER, {"request_id": body["request_id"], "error": error, "result": result, "data": data})

    def close(self):
        """Removes the files that are not complete."""
        self._transfers.release_all()

    def _do(self, body):
        """Returns the result and the data of an answer."""
        operation = body["operation"]
        data = binascii.a2b_base64(body["data"]) if "data" in body else None
        if operation == "read":
            result, data = self._transfers.read(body)
            return result, binascii.b2a_base64(data, newline=False).decode("ascii")
        if operation == "write":
            return self._transfers.write(body, data), None
        if operation == "append":
            return operations.append(body, data), None
        if operation == "release":
            return self._transfers.release(body), None
        if operation in ("glob", "grep", "tree"):
            # Imported here, because it takes regular expressions.
            from . import search

            return getattr(search, operation)(body), None
        if operation not in _OPERATIONS:
            raise Refused("ENOSYS", "this sandbox does not know the operation")
        return _OPERATIONS[operation](body), None


_OPERATIONS = {"stat": operations.state_of, "list": operations.entries_of, "edit": operations.edit, "remove": operations.remove}
