/** The guest in a worker of the embedded engine: no permissions, and no way to the process but these messages. */

import { inspect } from 'node:util';
import vm from 'node:vm';
import { ByteRing } from '../../embedded/byte-ring.mjs';
import { Guest } from '../guest.mjs';
import { provideImportMeta } from '../import-meta.mjs';
import { compileProgram } from '../program.mjs';
import { trackTimers } from '../timers.mjs';
import { prepareGlobals, renewConsole } from './global-scope.mjs';
import { importForProgram } from './modules.mjs';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { postMessage, setTimeout: later } = globalThis;
const tellSupervisor = postMessage.bind(globalThis);
const { version } = globalThis.process;

globalThis.addEventListener('message', ({ data }) => start(data), { once: true });

function start({ port, stdout, stderr }) {
  const rings = { stdout: openRing(stdout, port), stderr: openRing(stderr, port) };
  const write = (stream, data) =>
    writeAll(rings[stream], typeof data === 'string' ? encoder.encode(data) : data);
  let release = () => [];
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
    send: (line) => port.postMessage(['line', encoder.encode(line)]),
    enter: (callback) => {
      callback();
      return true;
    },
    evaluate: (text, filename, columnOffset) =>
      new vm.Script(text, {
        filename,
        columnOffset,
        importModuleDynamically: importForProgram,
      }).runInThisContext(),
    defer: (callback) => later(callback, 0),
    afterFiles: (callback) => callback(),
    later: (callback, delayMs) => later(callback, delayMs),
    // It has no files, and does not tell.
    activity: () => ({ files: false, any: true }),
    inspect: (value) => inspect(value),
    warn: (text) => write('stderr', text),
    exitStatus: takeExitCode,
    // Its processes have no events.
    offer: () => false,
    tellExit: () => {},
    release: () => release(),
    prepare: () => renewConsole(write),
    compileProgram,
  });
  globalThis.addEventListener('error', (event) => {
    event.preventDefault();
    guest.fail(event.error);
  });
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    guest.fail(event.reason);
  });
  release = trackTimers(guest);
  port.addEventListener('message', ({ data }) => {
    const line = decoder.decode(data);
    guest.onLine(line.endsWith('\n') ? line.slice(0, -1) : line);
  });
  // Deno calls it with the port for each message: a program that patches the class would get that.
  port.dispatchEvent = globalThis.dispatchEvent;
  port.start();
  tellSupervisor(['ready', version.replace(/^v/, '')]);
}

function openRing(memory, port) {
  return new ByteRing(memory, () => port.postMessage(['output']));
}

function writeAll(ring, bytes) {
  for (let written = 0; written < bytes.length;) {
    written += ring.write(bytes.subarray(written));
    ring.waitForRoom();
  }
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
