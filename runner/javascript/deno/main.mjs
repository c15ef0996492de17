/** The guest in a worker of the embedded engine: no permissions, and no way to the process but shared memory. */

import { inspect } from 'node:util';
import { inNewTurn, SupervisorLink } from '../../embedded/link.mjs';
import { Guest } from '../guest.mjs';
import { provideImportMeta } from '../import-meta.mjs';
import { compileProgram } from '../program.mjs';
import { trackTimers } from '../timers.mjs';
import { prepareGlobals, renewConsole } from './global-scope.mjs';
import { LineReader } from './line-reader.mjs';
import { evaluate } from './scripts.mjs';

const { apply, get } = Reflect;
const encoder = new TextEncoder();
const encode = get(TextEncoder.prototype, 'encode');
const { postMessage, setInterval: every, setTimeout: later } = globalThis;
const { version } = globalThis.process;
const LONGEST_MS = 2 ** 31 - 1;
/** How often it is looked whether a program whose statements are done has settled its promises. */
const LOOK_INTERVAL_MS = 10;

globalThis.addEventListener('message', ({ data }) => start(new SupervisorLink(data.link)), {
  once: true,
});

function start(link) {
  const write = (stream, data) => {
    const bytes = typeof data === 'string' ? apply(encode, encoder, [data]) : data;
    if (stream === 'stdout') link.print(bytes);
    else link.printError(bytes);
  };
  let timers;
  // Deno does not say when nothing is left to do. What the program has started is known as far as it can be seen here.
  const lookIn = (delayMs) => {
    const { run } = guest;
    later(() => {
      if (run === undefined || guest.run !== run) return;
      if (guest.isDone && !timers.areLeft) guest.onIdle();
      else lookIn(LOOK_INTERVAL_MS);
    }, delayMs);
  };
  // Before the guest adds what is its own.
  prepareGlobals({
    exit: (code) => {
      const given = takeExitCode();
      guest.exit(code === undefined ? given : code & 0xff);
      // No worker can stop its own code for good: a program that catches this goes on unheard.
      throw new Error('the program called process.exit');
    },
  });
  provideImportMeta(ownFile());
  const guest = new Guest({
    send: (line) => {
      link.send(apply(encode, encoder, [line]));
      // In a turn of its own: a program that catches the end of its run has not ended yet.
      if (guest.run === undefined) inNewTurn(rest);
    },
    enter: (callback) => {
      try {
        callback();
      } finally {
        if (guest.isDone) lookIn(0);
      }
      return true;
    },
    evaluate,
    awaitLine: () => {},
    onStatementsDone: () => lookIn(0),
    // Its processes have no events.
    tellIdle: () => false,
    afterFiles: (callback) => callback(),
    inspect: (value) => inspect(value),
    warn: (text) => write('stderr', text),
    exitStatus: takeExitCode,
    offer: () => false,
    tellExit: () => {},
    release: () => timers.release(),
    prepare: () => renewConsole(write),
    compileProgram,
  });
  globalThis.addEventListener('error', (event) => {
    event.preventDefault();
    guest.fail(event.error);
  });
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    guest.reject(event.reason);
  });
  // Nothing else keeps a worker that waits for its memory to change.
  every(() => {}, LONGEST_MS);
  timers = trackTimers(guest);

  const lines = new LineReader();
  const take = () => {
    const { wakes } = link;
    try {
      while (link.canReceive) lines.push(link.receive(), (line) => guest.onLine(line));
    } finally {
      link.onWake(wakes, take);
      // What came may have been for a program that has ended.
      if (guest.run === undefined) inNewTurn(rest);
    }
  };
  /** Between programs the thread is blocked, so that nothing runs that a program has left. */
  const rest = () => {
    while (guest.run === undefined) {
      const { wakes } = link;
      if (link.canReceive) return;
      link.blockForMessage(wakes);
    }
  };
  take();
  postMessage(['ready', version.replace(/^v/, '')]);
}

function ownFile() {
  const [, filename] = globalThis.process.argv;
  const url = `file://${filename}`;
  const resolve = (specifier) =>
    specifier.startsWith('node:') ? specifier : new URL(specifier, url).href;
  return { dirname: '/', filename, resolve, url };
}

function takeExitCode() {
  const status = Number(globalThis.process.exitCode ?? 0) & 0xff;
  globalThis.process.exitCode = undefined;
  return status;
}
