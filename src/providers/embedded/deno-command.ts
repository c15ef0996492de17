/** What a sandbox's process may use. */
export interface DenoLimits {
  /** Memory of programs, on top of the interpreter's own. */
  readonly memoryBytes: number;
  /** Files of programs, which are in memory too. */
  readonly temporaryStorageBytes: number;
}

export interface DenoCommandOptions {
  readonly denoPath: string;
  /** The module that Deno runs. */
  readonly supervisorPath: string;
  readonly limits: DenoLimits;
  readonly platform: NodeJS.Platform;
  /** `SystemRoot`, without which nothing starts on Windows. */
  readonly systemRoot?: string | undefined;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

const WASM_PAGE_BYTES = 64 * 1024;
/** What the interpreter itself takes of WebAssembly memory: 30 MiB of a snapshot, and what its growth rounds up. */
const INTERPRETER_PAGES = 512;
/** V8's stack, in KiB. Deno gives a worker 4 MiB; Python's deep calls need nearly all of it. */
const STACK_KIBIBYTES = 3600;
/** V8's heap of one thread, in MiB. Programs' values are not in it. */
const HEAP_MEBIBYTES = 512;
/**
 * What a process of Deno has of private writable memory before any program runs, in KiB: mostly two
 * reservations of 510 MiB for compiled code, of which it uses little.
 */
const PROCESS_KIBIBYTES = 2 * 1024 * 1024;

const DENIED = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'];

/**
 * The command that starts a supervisor: without any permission, from the first moment on. What the
 * guest is made of goes in by standard input, so it needs not even permission to read that.
 */
export function denoCommand(options: DenoCommandOptions): Command {
  const { denoPath, limits, platform, systemRoot } = options;
  const args = [
    'run',
    ...DENIED.map((permission) => `--deny-${permission}`),
    '--no-prompt',
    '--no-remote',
    '--no-npm',
    '--cached-only',
    '--no-config',
    '--no-lock',
    '--no-code-cache',
    // For `permissions: "none"` of the guest's worker.
    '--unstable-worker-options',
    `--v8-flags=${v8Flags(limits).join(',')}`,
    options.supervisorPath,
  ];
  const env = {
    // Below a file there can be no directory: Deno writes no cache.
    DENO_DIR: `${denoPath}/none`,
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    ...(systemRoot !== undefined && { SystemRoot: systemRoot }),
  };
  if (platform !== 'linux') return { file: denoPath, args, env };
  return { ...underDataLimit(limits, [denoPath, ...args]), env };
}

function v8Flags(limits: DenoLimits): string[] {
  const programPages = Math.ceil(limits.memoryBytes / WASM_PAGE_BYTES);
  return [
    // `eval`, `new Function` and all else that makes code of text, among it any way to `import()`.
    '--disallow-code-generation-from-strings',
    `--wasm-max-mem-pages=${INTERPRETER_PAGES + programPages}`,
    `--max-old-space-size=${HEAP_MEBIBYTES}`,
    `--stack-size=${STACK_KIBIBYTES}`,
  ];
}

/**
 * The kernel's limit behind all others, for when the supervisor cannot watch because the host does not
 * read. It counts private writable memory, and not the terabytes that V8 only reserves.
 */
function underDataLimit(
  { memoryBytes, temporaryStorageBytes }: DenoLimits,
  command: readonly string[],
): Pick<Command, 'file' | 'args'> {
  const kibibytes = PROCESS_KIBIBYTES + Math.ceil((memoryBytes + temporaryStorageBytes) / 1024);
  const script = 'ulimit -d "$1"; shift; exec "$@"';
  return { file: '/bin/sh', args: ['-c', script, 'sh', String(kibibytes), ...command] };
}
