"""The images that a program shows with `show`, or as its last expression. The host receives them in parts."""

import io
import os
import sys
from _thread import allocate_lock

from ...shared.frames import IMAGE

# The limits of the host; see `shown-images.ts`.
MAX_IMAGES = 10
MAX_BYTES = 5_000_000

# A part travels between tool calls, which must not wait long for it. A multiple of 3 bytes has no padding in base64.
_MAX_PART = 192 * 1024
# More than a frame has in addition to the part.
_FRAME_BYTES = 200

_KINDS = "a PNG, JPEG, GIF or WebP image"
_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8")


class ShownImages:
    """Sends the images of the current program to the host."""

    def __init__(self, channel, bounds):
        self._channel = channel
        self._bounds = bounds
        self._execution_id = None
        self._count = 0
        # The parts of an image must follow one another, and threads may show images at the same time.
        self._lock = allocate_lock()

    def start(self, execution_id):
        """Begins a program."""
        self._execution_id = execution_id
        self._count = 0

    def show(self, image):
        """Shows an image. Raises an error that says what to do if the host would refuse it."""
        data = _bytes_of(image)
        if len(data) > MAX_BYTES:
            raise ValueError(
                f"show() takes at most {MAX_BYTES:,} bytes, and this image has {len(data):,}; make it smaller, for "
                "example with a lower dpi"
            )
        if not _is_image(data):
            raise ValueError(f"show() takes {_KINDS}, and this is none of them; save it as PNG first")
        with self._lock:
            if self._count == MAX_IMAGES:
                raise ValueError(f"a program can show {MAX_IMAGES} images; show the others in further programs")
            self._count += 1
            self._send(data)

    def _send(self, data):
        from binascii import b2a_base64

        size = min(_MAX_PART, (self._bounds.max_bytes - _FRAME_BYTES) // 4 * 3)
        size -= size % 3
        head = b'%b{"execution_id":"%b","data":"' % (IMAGE[0], self._execution_id.encode("ascii"))
        for start in range(0, len(data), size):
            last = b"true" if start + size >= len(data) else b"false"
            part = b2a_base64(data[start : start + size], newline=False)
            self._channel.send(b'%b%b","last":%b}%b\n' % (head, part, last, IMAGE[1]))


def is_figure(value):
    """Whether a value is a figure of matplotlib or an image of PIL, which a notebook shows as an image."""
    for module, name in (("matplotlib.figure", "Figure"), ("PIL.Image", "Image")):
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and isinstance(value, kind):
            return True
    return False


def adapt_pyplot(show):
    """Makes `plt.show()` show the open figures, and close them as in a notebook."""
    pyplot = sys.modules["matplotlib.pyplot"]

    def show_all(*, block=None):
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            try:
                show(figure)
            finally:
                pyplot.close(figure)

    show_all.__name__ = show_all.__qualname__ = "show"
    show_all.__module__ = "matplotlib.pyplot"
    pyplot.show = show_all


def _bytes_of(image):
    if isinstance(image, (bytes, bytearray, memoryview)):
        return bytes(image)
    if isinstance(image, (str, os.PathLike)):
        return _read(image)
    # A figure, or anything that belongs to one, such as axes.
    figure = image if hasattr(image, "savefig") else getattr(image, "figure", None)
    buffer = io.BytesIO()
    if hasattr(figure, "savefig"):
        figure.savefig(buffer, format="png", bbox_inches="tight")
    elif hasattr(image, "save") and hasattr(image, "getbands"):
        image.save(buffer, format="PNG")
    else:
        raise TypeError(
            f"show() takes a matplotlib figure, a PIL image, or the path or bytes of {_KINDS}, not a {type(image).__name__}"
        )
    return buffer.getvalue()


def _read(path):
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


def _is_image(data):
    return data.startswith(_BEGINNINGS) or data[:4] == b"RIFF" and data[8:12] == b"WEBP"
