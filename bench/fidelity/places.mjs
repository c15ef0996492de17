// Where programs run: in a sandbox, and in the plain interpreter that the sandbox has.

import { randomUUID } from 'node:crypto';
import { SandboxExecutor } from '../../dist/index.js';
import { loadProvider } from '../../dist/providers/select-provider.js';
import { containerCommand, hostCommand, prepareImage } from './plain.mjs';

/** Generous: tests of interpreters are greedy, and a limit is no finding. */
const LIMITS = {
  memoryBytes: 2 ** 31,
  cpus: 2,
  processes: 256,
  temporaryStorageBytes: 2 ** 29,
};
const OUTPUT_LIMIT_BYTES = 2 ** 25;
/** A session that waits for the plain interpreter is not unused. */
const SESSION_TIMEOUT_MS = 3_600_000;

/**
 * A sandbox and the plain interpreters beside it.
 * @typedef {object} Place
 * @property {string} name
 * @property {readonly string[]} languages
 * @property {(language: string) => SandboxExecutor} executor
 * @property {import('./plain.mjs').PlainCommand} plain - Starts a program of the same system outside of the sandbox.
 */

/**
 * Opens a sandbox for as long as `work` takes.
 * @param {string | undefined} image - Docker's image, if not the one of the project.
 * @throws Error if there is no such sandbox on this machine.
 */
export async function withPlace(name, image, work) {
  const reference = name === 'docker' ? (image ?? (await prepareImage())) : undefined;
  const provider = await openProvider(name, reference);
  const executors = new Map();
  const executor = (language) => {
    const options = {
      sandbox: provider,
      languages: [language],
      limits: LIMITS,
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
    };
    if (!executors.has(language)) executors.set(language, new SandboxExecutor(options));
    return executors.get(language);
  };
  try {
    const plain = name === 'docker' ? containerCommand(reference) : hostCommand();
    return await work({ name, languages: provider.languages, executor, plain });
  } finally {
    await Promise.all([...executors.values()].map((each) => each.close()));
    await provider.close();
  }
}

/** Why a sandbox cannot be had on this machine, or undefined. */
export async function findObstacle(name) {
  const provider = await loadProvider(name);
  try {
    const availability = await provider.probe();
    return availability.usable ? undefined : `${availability.reason}. ${availability.remedy}`;
  } finally {
    await provider.close();
  }
}

/** A session of its own for as long as `work` takes. It gets a function that runs a program in it. */
export async function withSession(place, language, work) {
  const session = await place.executor(language).acquire({ key: randomUUID() });
  try {
    return await work((code, timeoutMs) => session.execute(code, { language, timeoutMs }));
  } finally {
    await session.destroy();
  }
}

async function openProvider(name, image) {
  if (name !== 'docker') return loadProvider(name);
  const { dockerProvider } = await import('../../dist/providers/docker/docker-provider.js');
  return dockerProvider({ image });
}
