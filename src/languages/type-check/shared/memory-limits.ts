/** The heap of the process's main thread, which keeps requests and replies as text. */
export const MAIN_HEAP_MEBIBYTES = 128;

/** The heap of the compiling thread. V8 does not enforce it if single strings are large. */
export const COMPILER_LIMITS = {
  maxOldGenerationSizeMb: 512,
  maxYoungGenerationSizeMb: 64,
  stackSizeMb: 8,
} as const;

/** The memory limit of the whole process. */
export const PROCESS_BYTES: number = 896 * 1024 * 1024;
