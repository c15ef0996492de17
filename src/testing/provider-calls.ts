import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxProvider,
  type SandboxSpec,
} from '../sandbox/sandbox.ts';
import { PtcError, type PtcErrorCode } from '../shared/errors.ts';
import type { Bench } from './bench.ts';

/** How long a provider may take to remove a sandbox. It ends what hangs: on a busy machine, a removal can take long. */
const REMOVED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** How a call ended. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: unknown };

/** Waits for the end of a call, which may throw. */
export async function outcomeOf<Value>(
  call: Promise<Value> | undefined,
): Promise<Outcome<Value | undefined>> {
  try {
    return { value: await call };
  } catch (error) {
    return { error };
  }
}

/** What a test asks of `create`: a sandbox for a session that nothing else has. */
export function specFor({ executor }: Bench): SandboxSpec {
  return { sessionId: randomUUID(), languages: executor.languages, limits: DEFAULT_LIMITS };
}

/** Starts a sandbox, and closes it after its use. */
export async function withSandbox(
  provider: SandboxProvider,
  spec: SandboxSpec,
  use: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await provider.create(spec);
  try {
    await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Closes the sandbox of a start that should have failed. */
export async function closeIfStarted(outcome: Outcome<Sandbox | undefined>): Promise<void> {
  if ('value' in outcome) await outcome.value?.close();
}

/**
 * Starts a sandbox, and aborts the start. A sandbox is closed.
 * @param moment - When the signal fires.
 * @returns how the start ended. Undefined if it ended before the signal fired.
 */
export async function abortStart(
  provider: SandboxProvider,
  spec: SandboxSpec,
  moment: Promise<unknown>,
): Promise<Outcome<Sandbox | undefined> | undefined> {
  const controller = new AbortController();
  const start = outcomeOf(provider.create(spec, { signal: controller.signal }));
  const early = await Promise.race([start, moment.then(() => undefined)]);
  controller.abort();
  const outcome = await start;
  await closeIfStarted(outcome);
  return early === undefined ? outcome : undefined;
}

/** @throws AssertionError unless the call threw an error of this package with the code. */
export function assertFailed(name: string, outcome: Outcome<unknown>, code: PtcErrorCode): void {
  const failed = 'error' in outcome && PtcError.isInstance(outcome.error);
  assert.ok(
    failed && outcome.error.code === code,
    `${name} should throw a PtcError with the code ${code}. It ${'error' in outcome ? 'threw' : 'returned'} ${inspect(Object.values(outcome)[0], { depth: 1 })}.`,
  );
}

/** Waits until the sandbox of a session is gone, if the provider can list its sandboxes. @throws AssertionError if it remains. */
export async function assertNothingLeft(
  provider: SandboxProvider,
  { sessionId }: SandboxSpec,
): Promise<void> {
  for (const endsAt = performance.now() + REMOVED_WITHIN_MS; ; await delay(LOOK_EVERY_MS)) {
    const found = (await provider.findSandboxes?.()) ?? [];
    const left = found.filter((one) => one.sessionId === sessionId);
    if (left.length === 0) return;
    assert.ok(
      performance.now() < endsAt,
      `The provider still lists a sandbox after ${REMOVED_WITHIN_MS / 1000} seconds: ${inspect(left)}`,
    );
  }
}
