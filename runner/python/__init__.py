"""The Python runner, which runs programs in a sandbox.

These modules are the package `ptc_runner`. They need Python 3.9 or newer and its standard library. The host passes their
source to the interpreter at its start, so nothing has to be installed.

    supervisor   process 1: owns the real streams, runs no program
    guest        the interpreter beside it: runs programs, keeps their state
    shared       what the supervisor and its guests both use
"""
