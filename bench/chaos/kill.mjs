// Checks that a process may be killed before it is killed: the ids 0 and -1, and ids that were
// reused, mean a group or every process of the machine.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/**
 * Kills a process of a container at once. A process that has already ended is not an error.
 * @throws AssertionError if it is not a process of this container.
 */
export async function killProcessOf(containerId, processId) {
  assert.match(containerId, /^[0-9a-f]{64}$/, 'not the id of a container');
  const groups = await readOf(processId, 'cgroup');
  if (groups === '') return;
  assert.ok(groups.includes(containerId), `process ${processId} does not belong to ${containerId}`);
  send(processId, 'SIGKILL');
}

/**
 * Sends a signal to a process whose command line contains this text.
 * @throws AssertionError if it does not.
 */
export async function signalProcessOf(text, processId, signal) {
  assert.ok(text.length > 8, 'the text is too short to identify a process');
  const commandLine = await readOf(processId, 'cmdline');
  assert.ok(commandLine.includes(text), `process ${processId} does not belong to ${text}`);
  send(processId, signal);
  return commandLine.split('\0').slice(0, -1);
}

async function readOf(processId, file) {
  assert.ok(
    Number.isSafeInteger(processId) && processId > 1,
    `${processId} is not the id of a process`,
  );
  return readFile(`/proc/${processId}/${file}`, 'utf8').catch(() => '');
}

function send(processId, signal) {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
