// One program in ten is out to do harm: those of the security tests, each in a session with a secret.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SECURITY = resolve(import.meta.dirname, '../../test/security');
const CORPUS = join(SECURITY, 'corpus');
const TIME_LIMIT_MS = 3000;
/** Every way in which a run may end that nobody cancels. */
const ENDS = new Set('ok error timeout memory output calls protocol sandbox-lost'.split(' '));

const PROGRAMS = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.py'))
  .sort()
  .map((path) => {
    const { prelude } = JSON.parse(readFileSync(join(CORPUS, `${path.slice(0, -3)}.json`), 'utf8'));
    const program = readFileSync(join(CORPUS, path), 'utf8');
    if (prelude === undefined) return program;
    return `${readFileSync(join(SECURITY, 'preludes', `${prelude}.py`), 'utf8')}\n\n${program}`;
  });

export async function hostile({ executor, canaries, random }) {
  const canary = canaries.make();
  const plant = `canary = "${canary}"\nwith open("/tmp/canary", "w") as file: file.write(canary)`;
  const { sessionId, status } = await executor.execute(plant, { reuseSession: true });
  assert.equal(status, 'ok', 'a fresh session does not work');
  canaries.put(canary, sessionId);
  const code = PROGRAMS[random.integer(0, PROGRAMS.length - 1)];
  const result = await executor.execute(code, { sessionId, timeoutMs: TIME_LIMIT_MS });
  assert.ok(ENDS.has(result.status), `it ended with ${result.status}`);
  await executor.closeSession(sessionId);
}

/** Knows which secret is in which session, and looks for it in what the others say. */
export class Canaries {
  #sessions = new Map();

  make() {
    return `canary-${randomUUID()}`;
  }

  put(canary, sessionId) {
    this.#sessions.set(canary, sessionId);
  }

  /** @throws where a result has the secret of another session than its own. */
  check({ sessionId, stdout, stderr, error }) {
    const text = `${stdout}\n${stderr}\n${error?.message}\n${error?.traceback}`;
    for (const [canary] of text.matchAll(/canary-[0-9a-f-]{36}/g)) {
      const owner = this.#sessions.get(canary);
      assert.ok(owner === undefined || owner === sessionId, 'a session has the secret of another');
    }
  }

  /** The executor, with all that it gives looked through. */
  watch(executor) {
    const checked = async (...run) => {
      const result = await executor.execute(...run);
      this.check(result);
      return result;
    };
    return new Proxy(executor, {
      get(target, name) {
        if (name === 'execute') return checked;
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
}
