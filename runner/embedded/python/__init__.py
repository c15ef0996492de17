"""The guest for Python in the embedded sandbox. There, these modules are the package `ptc_runner.embedded`."""
