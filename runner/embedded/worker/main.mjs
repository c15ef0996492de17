/**
 * The guest for Python: a worker without permissions that runs CPython, compiled to WebAssembly.
 * Once Python serves, this thread never returns to the event loop: it waits for messages as a
 * process waits for its input.
 */

import { SupervisorLink } from '../link.mjs';
import { limitFileTimes } from './file-times.mjs';
import { removeGlobals } from './globals.mjs';
import { HostDevice } from './host-device.mjs';
import { compileRuntime, importRunner, loadInterpreter } from './interpreter.mjs';
import { StoredSnapshot } from './snapshot.mjs';
import { growByDoubling, limitStorage } from './storage-limit.mjs';

const tellSupervisor = globalThis.postMessage.bind(globalThis);

/**
 * The parts of the interpreter arrive one after another, and each is used as soon as it is there.
 */
const parts = {};
let link;
/** Whether the interpreter has used up its memory. A program could raise the error itself. */
let isFull = () => false;
const waiting = [];
globalThis.addEventListener('message', ({ data }) => {
  Object.assign(parts, data);
  for (const check of waiting) check();
});

async function part(name) {
  if (!(name in parts)) {
    await new Promise((resolve) => waiting.push(() => name in parts && resolve()));
  }
  return parts[name];
}

async function start() {
  const runtime = compileRuntime(await part('runtime'));
  const stored = await part('snapshot');
  // None if one is to be made.
  const snapshot = stored.length === 0 ? undefined : new StoredSnapshot(stored);
  const [module, settings] = [await part('module'), await part('settings')];
  removeGlobals((text) => tellSupervisor(['log', text]));
  const { loader, standardLibrary } = parts;
  const pyodide = await loadInterpreter({ runtime, loader, standardLibrary, module, snapshot });
  if (snapshot === undefined) importRunner(pyodide, settings.pythonModules, settings.wheels);
  const guest = pyodide.pyimport('ptc_runner.embedded.pyodide_guest');
  if (settings.task === 'snapshot') {
    tellSupervisor(['snapshot', pyodide.makeMemorySnapshot()]);
    return;
  }
  // This function never returns and would keep them: 20 MB of which the interpreter has copies.
  for (const bytes of [stored, standardLibrary, loader, parts.runtime]) release(bytes);
  pyodide.pyimport('ptc_runner.embedded.wheels').write();
  growByDoubling(pyodide.FS);
  limitStorage(pyodide.FS, settings.storageBytes);
  limitFileTimes(pyodide.FS);
  link = new SupervisorLink(parts.link);
  isFull = () => pyodide._module.HEAP8.length > settings.memoryBytes / 2;
  const device = new HostDevice(pyodide, link);
  tellSupervisor(['ready', guest.VERSION]);
  guest.serve(device.hostFd, device.waitFd);
}

/** Frees the memory at once, even if it is still referenced. */
function release(bytes) {
  bytes?.buffer.transfer(0);
}

try {
  await start();
} catch (error) {
  const account = String(error?.stack ?? error);
  // Before the guest serves, the supervisor does not read the link.
  if (link === undefined) tellSupervisor(['crash', account]);
  else if (typeof error?.status === 'number') link.end('exit', error.status & 0xff);
  else if (error?.type === 'MemoryError' && isFull()) link.end('memory');
  else link.end('crash', null, account);
}
