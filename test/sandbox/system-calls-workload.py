"""What programs of a sandbox commonly do, each once: for a trace of the system calls that it takes."""

import asyncio
import concurrent.futures
import ctypes
import mmap
import os
import resource
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time


def offered(module, name, *values):
    """Calls a function that this Python may not have."""
    function = getattr(module, name, None)
    return None if function is None else function(*values)


def files(directory):
    path, other = os.path.join(directory, "file"), os.path.join(directory, "other")
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    os.writev(fd, [b"some", b"text"])
    os.pwrite(fd, b"more", 8)
    os.pwritev(fd, [b"more"], 12)
    os.preadv(fd, [bytearray(4)], 0)
    os.lseek(fd, 0, os.SEEK_SET)
    os.readv(fd, [bytearray(4)])
    os.posix_fallocate(fd, 0, 4096)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_NORMAL)
    os.fsync(fd)
    os.fdatasync(fd)
    os.ftruncate(fd, 2048)
    with mmap.mmap(fd, 2048) as memory:
        memory[0:4] = b"mmap"
        memory.flush()
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX)
    with open(other, "wb") as target:
        os.sendfile(target.fileno(), fd, 0, 100)
        offered(os, "copy_file_range", fd, target.fileno(), 100)
    os.fstatvfs(fd)
    os.close(fd)
    os.truncate(other, 10)
    os.umask(os.umask(0o022))
    os.chmod(other, 0o600)
    os.utime(other)
    os.link(path, path + ".link")
    os.symlink(path, path + ".symlink")
    os.readlink(path + ".symlink")
    os.rename(other, path + ".renamed")
    os.mkdir(os.path.join(directory, "directory"))
    os.listdir(directory)
    os.statvfs(directory)
    os.access(path, os.R_OK)
    try:
        os.getxattr(path, "user.none")
    except OSError:
        pass
    shutil.copytree(directory, directory + ".copy")
    shutil.rmtree(directory + ".copy")
    database = sqlite3.connect(os.path.join(directory, "database"))
    database.execute("create table numbers (number)")
    database.commit()
    database.close()


def descriptors():
    first, second = os.pipe()
    os.dup2(os.dup(first), 60)
    with select.epoll() as poll:
        poll.register(first, select.EPOLLIN)
        os.write(second, b"x")
        poll.poll(1)
    select.select([first], [], [], 0)
    select.poll().poll(0)
    if hasattr(os, "splice"):
        third, fourth = os.pipe()
        os.splice(first, fourth, 1)
    offered(os, "eventfd", 0)
    offered(os, "memfd_create", "memory")
    socket.socket(socket.AF_UNIX).close()
    left, right = socket.socketpair()
    left.sendall(b"hello")
    right.recv(5)
    socket.send_fds(left, [b"x"], [first])
    socket.recv_fds(right, 1, 1)
    left.getsockname(), left.getpeername(), left.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
    left.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    left.shutdown(socket.SHUT_RDWR)


def processes():
    subprocess.run(["sh", "-c", "echo one | sort | head -n 1; ls / >/dev/null"], check=True, capture_output=True)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.nice(1)
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED)
    offered(os, "pidfd_open", os.getpid())
    threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(1)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        sum(pool.map(len, ["a", "b"]))
    ctypes.CDLL(None).getpid()


def signals_and_time():
    signal.signal(signal.SIGALRM, lambda *_: None)
    # Again and again: on a busy machine, the first may come before the pause.
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    signal.getitimer(signal.ITIMER_REAL)
    signal.pause()
    signal.alarm(0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.sigpending()
    signal.sigtimedwait({signal.SIGUSR1}, 0)
    signal.siginterrupt(signal.SIGALRM, False)
    time.sleep(0.001)
    time.clock_getres(time.CLOCK_MONOTONIC)
    time.process_time()
    os.times()


def itself():
    os.getgroups(), os.getpgid(0), os.getsid(0), os.getpgrp(), os.getppid(), os.getresuid(), os.getresgid()
    os.uname(), os.getcwd(), os.cpu_count(), os.getrandom(8)
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    os.sched_setscheduler(0, os.sched_getscheduler(0), os.sched_getparam(0))
    os.sched_yield()
    os.sched_get_priority_max(os.SCHED_OTHER), os.sched_get_priority_min(os.SCHED_OTHER)
    os.getpriority(os.PRIO_PROCESS, 0)
    resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE))


def numbers():
    """What libraries for data do, where they are installed."""
    try:
        import numpy
    except ImportError:
        return
    matrix = numpy.random.default_rng(0).random((200, 200))
    numpy.linalg.svd(matrix)
    try:
        import pandas
    except ImportError:
        return
    pandas.DataFrame(matrix).groupby(0).mean()


with tempfile.TemporaryDirectory() as directory:
    files(directory)
descriptors()
processes()
signals_and_time()
itself()
numbers()
asyncio.run(asyncio.sleep(0.001))
print("done")
