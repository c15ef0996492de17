// One session whose programs are in changing languages.

import { expectRun } from './expect.mjs';
import { PROGRAMS } from './programs.mjs';

/** How many of ten programs are endless, and are interrupted. */
const ENDLESS_IN_TEN = 1;
const TIME_LIMIT_MS = 300;

export async function switching({ executor, languages, providerName, random }) {
  const session = await executor.acquire();
  try {
    await takeTurns({ session, languages, providerName, random });
  } finally {
    await session.release();
  }
}

async function takeTurns({ session, languages, providerName, random }) {
  const counts = new Map();
  // In the embedded sandbox, JavaScript has no files.
  const sharesFiles = providerName !== 'embedded';
  let swapped = '';
  const turns = random.integer(3, 12);
  for (let turn = 1; turn <= turns; turn += 1) {
    const language = languages[random.integer(0, languages.length - 1)];
    const programs = PROGRAMS[language];
    const { interpreter } = programs;
    const run = (code, options) => session.execute(code, { language, ...options });
    if (random.integer(1, 10) <= ENDLESS_IN_TEN) {
      const code = programs.endless[random.integer(0, programs.endless.length - 1)];
      const result = await run(code, { timeoutMs: TIME_LIMIT_MS });
      expectRun(result, 'timeout');
      if (!result.sessionOpen) return;
    }
    // What another language did in between must not have changed anything.
    if (!counts.has(interpreter)) {
      expectRun(await run(programs.zero), 'ok');
      counts.set(interpreter, 0);
    }
    const count = counts.get(interpreter) + 1;
    const program = random.integer(0, 1) === 0 ? programs.increment : programs.count;
    expectRun(await run(program), 'ok', `${count}\n`);
    counts.set(interpreter, count);
    if (sharesFiles) {
      expectRun(await run(programs.swap(`turn ${turn}`)), 'ok', swapped);
      swapped = `turn ${turn}\n`;
    }
  }
}
