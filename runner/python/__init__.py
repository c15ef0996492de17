"""The Python runner: what goes into a sandbox and runs programs there.

These modules are the package `ptc_runner`. They need Python 3.9 or newer and its standard library.
The host hands their source over when it starts the interpreter, so nothing has to be installed.

    supervisor   process 1: owns the real streams, runs no program
    guest        the interpreter beside it: runs programs, keeps their state
"""
