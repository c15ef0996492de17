// One check of a test run: its line, its output only if it fails, and what it adds to the count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The closing line of our test reporter; a check that prints one is counted by it. */
const COUNT = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;
/** How many tests were skipped and why, and how much of the code the tests ran. */
const REMARKS = /^(?:skipped: .*|(?:Lines|Branches) +: .*)$/gm;
/** What our test reporter says before the end: how far it is, or a test that has failed. */
const PROGRESS = /^progress: (failed: )?(.*)$/;

/** How long a command that is stopped may take to end by itself. */
const STOP_MS = 3000;

/** Thrown by a check that cannot run here; its message is the reason. */
export class Skipped extends Error {}

/**
 * Runs a command in a process group of its own, which ends as a whole if `signal` is aborted or `timeoutMs` has passed. That
 * time ends what hangs: on a busy machine, a command can take ten times as long as usual.
 * @param onLine - Gets each line of its standard output.
 * @returns everything that it printed. @throws that, if it fails or is ended.
 */
export async function command(file, args, { env, signal, timeoutMs = 1_800_000, onLine } = {}) {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const append = (chunk) => (output += chunk);
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  if (onLine) createInterface(child.stdout).on('line', onLine);
  const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const stop = () => stopGroup(child);
  end.addEventListener('abort', stop);
  if (end.aborted) stop();
  const failure = await once(child, 'close').then(
    ([status, killedBy]) =>
      status === 0 ? undefined : `It ended with ${killedBy ?? `status ${status}`}.`,
    (error) => error.message,
  );
  end.removeEventListener('abort', stop);
  const reason = signal?.aborted
    ? 'It was interrupted.'
    : end.aborted
      ? `It took more than ${timeoutMs} ms.`
      : failure;
  if (reason === undefined) return output;
  throw new Error(`${output.trimEnd()}\n${reason}`.trimStart());
}

function stopGroup(child) {
  killGroup(child, 'SIGTERM');
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), STOP_MS);
  child.once('close', () => clearTimeout(timer));
}

/** Sends a signal to a process that was started detached, and to those that it started. */
export function killGroup({ pid }, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended already.
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Runs a check and shows how it goes.
 * @param check - Gets a function for the lines that it reads of a command.
 * @param signal - If it is aborted, an error of the check is not a failure.
 * @returns the tests that it stands for: its own count if it closes with one, else itself.
 */
export async function runGate(screen, name, check, signal) {
  screen.begin(name);
  const onLine = (line) => {
    const [, failed, progress] = PROGRESS.exec(line) ?? [];
    if (failed) screen.print(`${failed}${progress}`);
    else if (progress) screen.setProgress(name, progress);
  };
  const outcome = await attempt(() => check(onLine), signal);
  const counted = [...outcome.output.matchAll(COUNT)].at(-1);
  screen.end(name, outcome.state, counted ? `  ${counted[0]}` : '');
  if (outcome.state === 'failed') screen.print(outcome.output);
  else for (const [line] of outcome.output.matchAll(REMARKS)) screen.print(`  ${line}`);
  if (outcome.state === 'skipped') screen.print(`  skipped: ${name} (${outcome.output})`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  if (outcome.state === 'stopped') return counts;
  if (!counted) return { ...counts, [outcome.state]: 1 };
  const [passed, failed, skipped = 0] = counted.slice(1).map((count) => Number(count ?? 0));
  // A test runner that crashed has a failure that it did not count.
  return { passed, failed: Math.max(failed, outcome.state === 'failed' ? 1 : 0), skipped };
}

async function attempt(check, signal) {
  try {
    return { state: 'passed', output: (await check()) ?? '' };
  } catch (error) {
    if (signal?.aborted) return { state: 'stopped', output: '' };
    return { state: error instanceof Skipped ? 'skipped' : 'failed', output: error.message };
  }
}
