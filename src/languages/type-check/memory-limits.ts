/** The heap of the process's main thread, which holds requests and replies as text. */
export const MAIN_HEAP_MEBIBYTES = 128;

/** The heap of the thread that compiles. V8 does not hold a thread to it if single strings are large. */
export const COMPILER_LIMITS = {
  maxOldGenerationSizeMb: 512,
  maxYoungGenerationSizeMb: 64,
  stackSizeMb: 8,
} as const;

/** What the whole process may have in memory, whatever it has it for. */
export const PROCESS_BYTES: number = 896 * 1024 * 1024;
