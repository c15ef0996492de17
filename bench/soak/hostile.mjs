// One program in four is hostile: those of the security tests, each in a session with a secret.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PROGRAMS } from './programs.mjs';

const TIME_LIMIT_MS = 3000;
/** Every way in which a program may end that nobody cancels. */
const ENDS = new Set(
  'ok error timeout memory-limit budget-exceeded protocol-error sandbox-lost'.split(' '),
);

export async function hostile({ executor, programs, corpus, canaries, random }) {
  const { interpreter } = programs;
  const attacks = corpus.attacks.filter(
    ({ language }) => PROGRAMS[language].interpreter === interpreter,
  );
  const { path, language, code } = attacks[random.integer(0, attacks.length - 1)];
  const canary = canaries.make();
  const session = await executor.acquire();
  const { status } = await session.execute(programs.plant(canary));
  assert.equal(status, 'ok', 'a new session does not work');
  canaries.put(canary, session.id);
  try {
    const result = await session.execute(code, { language, timeoutMs: TIME_LIMIT_MS });
    assert.ok(ENDS.has(result.status), `it ended with ${result.status}`);
    corpus.expectUnreached();
  } catch (error) {
    throw new Error(`The program was ${path}.`, { cause: error });
  } finally {
    await session.release();
  }
}

/** Knows which session has which secret, and searches for it in the results of others. */
export class Canaries {
  #sessions = new Map();

  make() {
    return `canary-${randomUUID()}`;
  }

  put(canary, sessionId) {
    this.#sessions.set(canary, sessionId);
  }

  /** @throws if a result has the secret of another session. */
  check({ sessionId, stdout, stderr, error }) {
    const text = `${stdout}\n${stderr}\n${error?.message}\n${error?.traceback}`;
    for (const [canary] of text.matchAll(/canary-[0-9a-f-]{36}/g)) {
      const owner = this.#sessions.get(canary);
      assert.ok(owner === undefined || owner === sessionId, 'a session has the secret of another');
    }
  }
}
