import os

print(sorted(set(os.environ) - {"container"}))
