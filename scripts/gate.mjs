// One gate: one line, its output only when it fails, and what it adds to the count.
import { spawn } from 'node:child_process';

/** The closing line of our test reporter; a gate that prints one is counted by it. */
const COUNT = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;
/** How many tests were skipped and why, in two lines, and how much of the code the tests ran. */
const REMARKS = /^(?:skipped: .*|(?:Lines|Branches) +: .*)$/gm;

/** Thrown by a gate that cannot run here; its message is the reason. */
export class Skipped extends Error {}

/** Runs a command to its end. @returns everything that it printed. @throws that, if it fails. */
export async function command(file, args, { env, signal, timeoutMs = 600_000 } = {}) {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  });
  let output = '';
  const append = (chunk) => (output += chunk);
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  const failure = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.cause?.message ?? error.message));
    child.once('close', (status, killedBy) => {
      resolve(status === 0 ? undefined : `It ended with ${killedBy ?? `status ${status}`}.`);
    });
  });
  if (failure === undefined) return output;
  throw new Error(`${output.trimEnd()}\n${failure}`.trimStart());
}

/**
 * Runs a gate and prints its line.
 * @returns the tests that it stands for: its own count if it closes with one, else itself.
 */
export async function runGate(name, check) {
  const start = performance.now();
  process.stdout.write(`${name.padEnd(16)}`);
  const outcome = await attempt(check);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const counted = [...outcome.output.matchAll(COUNT)].at(-1);
  console.log(
    `${outcome.state.padEnd(8)}${seconds.padStart(7)} s${counted ? `  ${counted[0]}` : ''}`,
  );
  if (outcome.state === 'failed') console.log(outcome.output);
  else for (const [line] of outcome.output.matchAll(REMARKS)) console.log(`  ${line}`);
  if (outcome.state === 'skipped') console.log(`  skipped: ${name} (${outcome.output})`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  if (!counted) return { ...counts, [outcome.state]: 1 };
  const [passed, failed, skipped = 0] = counted.slice(1).map((count) => Number(count ?? 0));
  // A test runner that crashed has a failure that it did not count.
  return { passed, failed: Math.max(failed, outcome.state === 'failed' ? 1 : 0), skipped };
}

async function attempt(check) {
  try {
    return { state: 'passed', output: (await check()) ?? '' };
  } catch (error) {
    return { state: error instanceof Skipped ? 'skipped' : 'failed', output: error.message };
  }
}
