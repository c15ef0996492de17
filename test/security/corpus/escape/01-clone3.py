# The kernel would say EINVAL of no arguments.
print("clone3", call((435, 435), 0, 0))
