/** The guest in a worker of the embedded engine: no permissions, and no way to the process but shared memory. */

import { inspect } from 'node:util';
import { inNewTurn, SupervisorLink } from '../../embedded/link.mjs';
import { Guest } from '../guest.mjs';
import { ProcessEvents } from '../process-events.mjs';
import { compileProgram } from '../program.mjs';
import { trackTimers } from '../timers.mjs';
import { defineGlobal, prepareGlobals } from './global-scope.mjs';
import { LineReader } from './line-reader.mjs';
import { provideProgramFile } from './program-file.mjs';
import { ProgramProcess } from './program-process.mjs';
import { evaluate } from './scripts.mjs';
import { bytesOf, renewStreams } from './program-streams.mjs';

const { postMessage, setInterval: every, setTimeout: later } = globalThis;
const { version } = globalThis.process;
const LONGEST_MS = 2 ** 31 - 1;
/** How often it is looked whether a program whose statements are done has settled its promises. */
const LOOK_INTERVAL_MS = 10;

globalThis.addEventListener('message', ({ data }) => start(new SupervisorLink(data.link)), {
  once: true,
});

function start(link) {
  const roads = {
    stdout: (bytes) => link.print(bytes),
    stderr: (bytes) => link.printError(bytes),
  };
  const warn = (text) => roads.stderr(bytesOf(text));
  const exit = (code) => {
    const given = program.takeExitCode();
    guest.exit(code === undefined ? given : code & 0xff);
    // No worker can stop its own code for good: a program that catches this goes on unheard.
    throw new Error('the program called process.exit');
  };
  const program = new ProgramProcess({ exit, warn });
  const events = new ProcessEvents(program.object);
  let timers;
  // Deno does not say when nothing is left to do. What the program has started is known as far as it can be seen here.
  const lookIn = (delayMs) => {
    const { run } = guest;
    later(() => {
      if (run === undefined || guest.run !== run) return;
      if (guest.isDone && !timers.areLeft) guest.onIdle();
      if (guest.run === run) lookIn(LOOK_INTERVAL_MS);
    }, delayMs);
  };
  // Before the guest adds what is its own.
  prepareGlobals();
  defineGlobal('process', program.object);
  const modules = provideProgramFile(program);
  const importForProgram = async (specifier) => modules.import(specifier);
  const guest = new Guest({
    send: (line) => {
      link.send(bytesOf(line));
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
    evaluate: (text, filename, columnOffset) =>
      evaluate(text, filename, columnOffset, importForProgram),
    awaitLine: () => {},
    onStatementsDone: () => lookIn(0),
    isListening: () => events.isListening(),
    tellIdle: () => events.tellIdle(program.object.exitCode ?? 0),
    afterFiles: (callback) => callback(),
    inspect: (value) => inspect(value),
    warn,
    exitStatus: () => program.takeExitCode(),
    offer: (error) => events.offer(error),
    tellExit: (code) => events.tellExit(code || program.exitCode),
    release: () => {
      events.endListening();
      return timers.release();
    },
    prepare: () => defineGlobal('console', renewStreams(program, roads)),
    compileProgram,
  });
  globalThis.addEventListener('error', (event) => {
    event.preventDefault();
    guest.callback(() => {
      throw event.error;
    });
  });
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    const { promise, reason } = event;
    guest.callback(() => {
      if (!events.offerRejection(reason, promise)) guest.reject(reason);
    });
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
