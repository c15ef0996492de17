import errno
import fcntl
import os
import struct
import termios


def ask(descriptor, command, argument=0):
    try:
        fcntl.ioctl(descriptor, command, argument)
        return "allowed"
    except OSError as error:
        # Docker's filter has one error for everything.
        return "refused" if error.errno in (errno.ENOTTY, errno.EPERM) else errno.errorcode[error.errno]


file = os.open("/usr/bin/env", os.O_RDONLY)
print("size", ask(file, 0x5460, bytearray(8)))
print("in memory", ask(file, 0xC020662A, bytearray(struct.pack("QQIIII", 0, 2**62, 0, 0, 10, 0) + bytes(560))))
print("marks", ask(file, 0x40046629, bytearray(4)), ask(file, 0x6612))
print("extents", ask(file, 0xC020660B, bytearray(struct.pack("QQIIII", 0, 2**62, 1, 0, 10, 0) + bytes(560))))
print("file system", ask(file, 0x80111500, bytearray(17)), ask(file, 0x80811501, bytearray(129)))
print("namespaces", *(ask(os.open("/proc/self/ns/user", os.O_RDONLY), command) for command in (0xB701, 0xB702, 0xB703)))
# What programs ask of descriptors is as ever.
reader, writer = os.pipe()
os.write(writer, b"four")
size = bytearray(4)
fcntl.ioctl(reader, termios.FIONREAD, size)
print(struct.unpack("i", size), os.isatty(reader), ask(reader, 0x5421, struct.pack("i", 1)), ask(reader, 0x5451))
try:
    os.get_terminal_size(reader)
except OSError as error:
    print(errno.errorcode[error.errno])
