/** The limits of a sandbox's process. */
export interface DenoLimits {
  /** Memory that programs can use, in addition to that of the interpreter. */
  readonly memoryBytes: number;
  /** Size of all files of programs, which are in memory too. */
  readonly temporaryStorageBytes: number;
}

export interface DenoCommandOptions {
  readonly denoPath: string;
  /** The module that Deno runs. */
  readonly supervisorPath: string;
  readonly limits: DenoLimits;
  readonly platform: NodeJS.Platform;
  /** The environment variable `SystemRoot`, without which no process starts on Windows. */
  readonly systemRoot?: string | undefined;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** All environment variables of the process. */
  readonly env: Readonly<Record<string, string>>;
}

const WASM_PAGE_BYTES = 64 * 1024;
/**
 * WebAssembly memory that the interpreter itself uses: 30 MiB from its snapshot, and rounding when
 * it grows.
 */
const INTERPRETER_PAGES = 512;
/**
 * V8's stack, in KiB. Deno gives a worker 4 MiB, and deep recursion in Python needs nearly all of
 * it.
 */
const STACK_KIBIBYTES = 3600;
/** V8's heap of one thread, in MiB. It does not contain the values of Python programs. */
const HEAP_MEBIBYTES = 512;
/**
 * Private writable memory of a Deno process before any program runs, in KiB. Most of it are two
 * reservations of 510 MiB for compiled code, which are mostly unused.
 */
const PROCESS_KIBIBYTES = 2 * 1024 * 1024;

const DENIED = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'];

/**
 * The command that starts a supervisor, without any permission from the start. The supervisor gets
 * the guests on its standard input, so it needs no permission to read files.
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
    // Needed for `permissions: "none"` of the guest's worker.
    '--unstable-worker-options',
    `--v8-flags=${v8Flags(limits).join(',')}`,
    options.supervisorPath,
  ];
  const env = {
    // This path is below a file and cannot be created, so Deno writes no cache.
    DENO_DIR: `${denoPath}/none`,
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    // Deno would otherwise have the host's zone, and a snapshot keeps that of the host that made it.
    TZ: 'UTC',
    ...(systemRoot !== undefined && { SystemRoot: systemRoot }),
  };
  if (platform !== 'linux') return { file: denoPath, args, env };
  return { ...underDataLimit(limits, [denoPath, ...args]), env };
}

function v8Flags(limits: DenoLimits): string[] {
  const programPages = Math.ceil(limits.memoryBytes / WASM_PAGE_BYTES);
  return [
    // Forbids `eval`, `new Function` and everything else that makes code from text, including every
    // way to `import()`.
    '--disallow-code-generation-from-strings',
    `--wasm-max-mem-pages=${INTERPRETER_PAGES + programPages}`,
    `--max-old-space-size=${HEAP_MEBIBYTES}`,
    `--stack-size=${STACK_KIBIBYTES}`,
  ];
}

/**
 * Sets a limit of the kernel, in case all others fail: the supervisor cannot watch while it waits
 * for a host that does not read. The limit counts private writable memory, but not the terabytes of
 * addresses that V8 reserves.
 */
function underDataLimit(
  { memoryBytes, temporaryStorageBytes }: DenoLimits,
  command: readonly string[],
): Pick<Command, 'file' | 'args'> {
  const kibibytes = PROCESS_KIBIBYTES + Math.ceil((memoryBytes + temporaryStorageBytes) / 1024);
  const script = 'ulimit -d "$1"; shift; exec "$@"';
  return { file: '/bin/sh', args: ['-c', script, 'sh', String(kibibytes), ...command] };
}
