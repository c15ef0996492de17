import sys

for name, module in list(sys.modules.items()):
    if name.startswith("ptc_runner"):
        for key in list(vars(module)):
            if not key.startswith("__"):
                setattr(module, key, None)
print("patched")
