/**
 * The guest in a worker of the embedded sandbox. It has no permissions, and only shared memory to
 * reach the process.
 */

import { inspect } from 'node:util';
import { inNewTurn, SupervisorLink } from '../../embedded/link.mjs';
import { Guest } from '../guest/guest.mjs';
import { WaitTeller } from '../guest/messages/wait-teller.mjs';
import { ProcessEvents, UNHANDLED } from '../guest/process-events.mjs';
import { compileProgram } from '../compile/program.mjs';
import { trackOtherWaits } from '../guest/other-waits.mjs';
import { trackTimers } from '../guest/timers.mjs';
import { defineGlobal, prepareGlobals } from './global-scope.mjs';
import { LineReader } from './line-reader.mjs';
import { provideProgramFile } from './program-file.mjs';
import { ProgramProcess } from './program-process.mjs';
import { evaluate } from './scripts.mjs';
import { bytesOf, renewStreams } from './program-streams.mjs';

const { clearTimeout: endTimer, postMessage, setInterval: every, setTimeout: later } = globalThis;
const { version } = globalThis.process;
const LONGEST_MS = 2 ** 31 - 1;
/** How often to check whether a program has anything left to do or to wait for. */
const CHECK_INTERVAL_MS = 10;
/**
 * In how many checks in a row nothing must be known that a program waits for, before it is taken to
 * wait for a call of an earlier program. It may wait for an operation of Deno, which is done sooner.
 */
const CHECKS_BEFORE_REJECTION = 10;

globalThis.addEventListener('message', ({ data }) => start(new SupervisorLink(data.link)), {
  once: true,
});

function start(link) {
  const writers = {
    stdout: (bytes) => link.print(bytes),
    stderr: (bytes) => link.printError(bytes),
  };
  const warn = (text) => writers.stderr(bytesOf(text));
  const exit = (...given) => {
    // Throws an error if the value is not a status.
    if (given.length > 0) program.exitCode = given[0];
    guest.exit(program.takeExitCode());
    // A worker cannot stop its own code for good. A program that catches this continues, and
    // nothing reads its output.
    throw new Error('the program called process.exit');
  };
  const program = new ProgramProcess({ exit, warn });
  const events = new ProcessEvents(program.object);
  let timers;
  let nextCheck;
  // The program for which a check is due at once.
  let checkedAtOnce;
  // Deno does not report that nothing is left to do. This checks what the program is known to have
  // started.
  const checkLater = (delayMs, idleChecks = 0) => {
    const { run } = guest;
    const isAtOnce = delayMs === 0;
    // Callbacks that come faster than the check must not put it off again and again.
    if (isAtOnce && run !== undefined && run === checkedAtOnce) return;
    checkedAtOnce = isAtOnce ? run : undefined;
    endTimer(nextCheck);
    nextCheck = later(() => {
      checkedAtOnce = undefined;
      if (run === undefined || guest.run !== run) return;
      const isIdle = !timers.areLeft;
      const waits = isIdle && guest.mayWaitForEarlierCall;
      if (isIdle && guest.isDone) guest.onIdle();
      else if (waits && idleChecks >= CHECKS_BEFORE_REJECTION) guest.rejectEarlierCalls();
      if (guest.run === run) checkLater(CHECK_INTERVAL_MS, waits ? idleChecks + 1 : 0);
    }, delayMs);
  };
  // Before the guest adds its own names.
  prepareGlobals();
  defineGlobal('process', program.object);
  const modules = provideProgramFile(program);
  const importForProgram = async (specifier) => modules.import(specifier);
  const waitTeller = new WaitTeller({
    send: (line) => link.send(bytesOf(line)),
    afterJobs: () => inNewTurn(() => waitTeller.tell()),
    // Deno does not tell which of its operations are in progress.
    waits: () => false,
  });
  const guest = new Guest({
    waitTeller,
    send: (line) => {
      link.send(bytesOf(line));
      // In its own turn of the event loop, because a program that catches the end has not ended
      // yet.
      if (guest.run === undefined) inNewTurn(blockUntilMessage);
    },
    enter: (callback) => {
      try {
        callback();
      } finally {
        if (guest.isDone) checkLater(0);
      }
      return true;
    },
    evaluate: (text, filename, columnOffset) =>
      evaluate(text, filename, columnOffset, importForProgram),
    awaitLine: () => {},
    onStatementsDone: () => checkLater(0),
    isListening: () => events.isListening(),
    tellIdle: () => events.tellIdle(program.exitCode),
    afterLeftWork: (callback) => callback(),
    inspect: (value) => inspect(value),
    warn,
    exitStatus: () => program.takeExitCode(),
    offer: (error, origin, promise) => events.offer(error, origin, promise),
    tellExit: (code) => {
      if (code !== 0) program.exitCode = code;
      events.tellExit(program.exitCode);
    },
    release: (left) => {
      events.endListening();
      timers.release(left);
    },
    // An interrupt ends the process.
    uninterrupted: (callback) => callback(),
    prepare: () => {
      program.takeExitCode();
      defineGlobal('console', renewStreams(program, writers));
      if (guest.mayWaitForEarlierCall) checkLater(CHECK_INTERVAL_MS);
    },
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
      if (!events.offer(reason, UNHANDLED, promise)) guest.reject(reason);
    });
  });
  // Nothing else keeps a worker alive that waits for its memory to change.
  every(() => {}, LONGEST_MS);
  timers = trackTimers(guest);
  trackOtherWaits(guest);

  const lines = new LineReader();
  const take = () => {
    const { wakes } = link;
    try {
      while (link.canReceive) lines.push(link.receive(), (line) => guest.onLine(line));
    } finally {
      link.onWake(wakes, take);
      // The message may have been for a program that has ended.
      if (guest.run === undefined) inNewTurn(blockUntilMessage);
    }
  };
  /** Blocks the thread between programs, so that nothing runs that a program left. */
  const blockUntilMessage = () => {
    while (guest.run === undefined) {
      const { wakes } = link;
      if (link.canReceive) return;
      link.blockForMessage(wakes);
    }
  };
  take();
  postMessage(['ready', version.replace(/^v/, '')]);
}
