# The kernel starts the program of the machine that receives core dumps with any other limit than 1.
import resource

print(resource.getrlimit(resource.RLIMIT_CORE))
address = ctypes.byref((ctypes.c_long * 2)(0, 1))
print("setrlimit", call((160, 164), resource.RLIMIT_CORE, address))
print("prlimit64", call((302, 261), 0, resource.RLIMIT_CORE, address, None))
child = os.fork()
if child == 0:
    os.abort()
print("dumped:", os.WCOREDUMP(os.waitpid(child, 0)[1]))
