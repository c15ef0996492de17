// Kills a process that is certainly one of those that may be killed: 0, -1 and numbers that meanwhile
// belong to others mean a group, or every process of the machine.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/**
 * Kills a process of a container at once. One that is gone is no error.
 * @throws AssertionError where it is no process of this container.
 */
export async function killProcessOf(containerId, processId) {
  assert.match(containerId, /^[0-9a-f]{64}$/, 'no id of a container');
  const groups = await readOf(processId, 'cgroup');
  if (groups === '') return;
  assert.ok(groups.includes(containerId), `process ${processId} is not of ${containerId}`);
  send(processId, 'SIGKILL');
}

/**
 * Sends a signal to a process whose command line has this text.
 * @throws AssertionError where it has not.
 */
export async function signalProcessOf(text, processId, signal) {
  assert.ok(text.length > 8, 'too short a text to know a process by');
  const commandLine = await readOf(processId, 'cmdline');
  assert.ok(commandLine.includes(text), `process ${processId} is not of ${text}`);
  send(processId, signal);
  return commandLine.split('\0').slice(0, -1);
}

async function readOf(processId, file) {
  assert.ok(Number.isSafeInteger(processId) && processId > 1, `${processId} is no process`);
  return readFile(`/proc/${processId}/${file}`, 'utf8').catch(() => '');
}

function send(processId, signal) {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
