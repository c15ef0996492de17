import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RUN_BUNDLED } from './typescript-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export const CLI: string = join(ROOT, 'dist/cli/main.js');
/** Arguments of Node that run the command line in two thirds of the processor time. */
export const RUN_CLI: readonly string[] = [RUN_BUNDLED, CLI];

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Variables beside those of the tests; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** With any of these, the command line would ask a real model. */
const MODEL_VARIABLES = /^(?:ANTHROPIC_|AWS_|OPENAI_|NO_COLOR$|FORCE_COLOR$|DEBUG$)/;

/** A child process and what it has printed so far. */
export class StartedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly #finished: Promise<Finished>;
  readonly #watchers: Set<() => void> = new Set();

  constructor(file: string, args: readonly string[], { env, cwd = ROOT }: StartOptions = {}) {
    const inherited = Object.entries(process.env).filter(([name]) => !MODEL_VARIABLES.test(name));
    this.child = spawn(file, args, { cwd, env: { ...Object.fromEntries(inherited), ...env } });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      for (const watcher of this.#watchers) watcher();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // A child that has ended reads no more input.
    this.child.stdin.on('error', () => {});
    this.#finished = new Promise((settle, fail) => {
      this.child.once('error', fail);
      this.child.once('close', (status) => {
        settle({ status, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Waits until it has printed this, and fails where it ends before. */
  async printed(text: string | RegExp): Promise<void> {
    const found = (): boolean =>
      typeof text === 'string' ? this.stdout.includes(text) : text.test(this.stdout);
    const watched = new Promise<void>((settle) => {
      const watch = (): void => {
        if (found()) settle();
      };
      this.#watchers.add(watch);
      watch();
    });
    await Promise.race([watched, this.#finished]);
    if (!found())
      throw new Error(`It never printed ${String(text)}:\n${this.stdout}${this.stderr}`);
  }

  async finished(): Promise<Finished> {
    return this.#finished;
  }
}

/** Starts a script of the built package with Node. */
export function startNode(args: readonly string[], options?: StartOptions): StartedProcess {
  requireBuild();
  return new StartedProcess(process.execPath, args, options);
}

/** Runs the command line to its end, with this as its standard input. */
export async function runCli(
  args: readonly string[],
  { input = '', ...options }: StartOptions & { readonly input?: string } = {},
): Promise<Finished> {
  const started = startNode([...RUN_CLI, ...args], options);
  started.child.stdin.end(input);
  return started.finished();
}

/** Starts the command line on a terminal of its own; its input is a file where one is named. */
export function startCliOnTerminal(
  args: readonly string[],
  { env = {}, input }: { readonly env?: StartOptions['env']; readonly input?: string } = {},
): StartedProcess {
  requireBuild();
  const command = [process.execPath, ...RUN_CLI, ...args].join(' ');
  const redirected = input === undefined ? command : `${command} < ${input}`;
  return new StartedProcess(
    'script',
    ['--quiet', '--return', '--command', redirected, '/dev/null'],
    {
      env: { TERM: 'xterm', ...env },
    },
  );
}

let buildChecked = false;

/** Tests of an old build would pass for what the source no longer does. Looked at once: it may be edited meanwhile. */
export function requireBuild(): void {
  if (buildChecked) return;
  const built = statSync(join(ROOT, 'dist/.tsbuildinfo'), { throwIfNoEntry: false });
  if (built === undefined) throw new Error('There is no dist/. Run: npm run build');
  const changed = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).find(
    (name) => name.endsWith('.ts') && statSync(join(ROOT, 'src', name)).mtimeMs > built.mtimeMs,
  );
  if (changed !== undefined) {
    throw new Error(`dist/ is older than src/${changed}. Run: npm run build`);
  }
  buildChecked = true;
}
