import os
import sys

paths = [module.__file__ for name, module in sys.modules.items() if name.startswith("ptc_runner") and getattr(module, "__file__", None)]
print([path for path in paths if os.access(path, os.W_OK)])
print([path for path in sys.path if path and os.path.isdir(path) and os.access(path, os.W_OK) and path != "/tmp"])
