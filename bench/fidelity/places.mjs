// The places where programs run: a sandbox, and the plain interpreter that the sandbox has.

import { randomUUID } from 'node:crypto';
import { SandboxExecutor } from '../../dist/index.js';
import { loadProvider } from '../../dist/providers/select-provider.js';
import { containerCommand, hostCommand, prepareImage } from './plain.mjs';

/** Large, because tests of interpreters use much, and exceeding a limit is not a finding. */
const LIMITS = {
  memoryBytes: 2 ** 31,
  cpus: 2,
  processes: 256,
  temporaryStorageBytes: 2 ** 29,
};
const OUTPUT_LIMIT_BYTES = 2 ** 25;
/** A session that waits for the plain interpreter must not expire. */
const SESSION_TIMEOUT_MS = 3_600_000;

/**
 * A sandbox and the plain interpreters beside it.
 * @typedef {object} Place
 * @property {string} name
 * @property {(language: string) => SandboxExecutor} executor
 * @property {import('./plain.mjs').PlainCommand} plain - Runs a command of the same system outside of the sandbox.
 */

/**
 * Opens a sandbox for the duration of `work`.
 * @param {{ name: string, image?: string, signal: AbortSignal }} request - The sandbox, Docker's
 *   image, if not the one of the project, and what ends plain commands.
 * @throws Error if this machine has no such sandbox.
 */
export async function withPlace({ name, image, signal }, work) {
  const reference = name === 'docker' ? (image ?? (await prepareImage())) : undefined;
  const provider = await openProvider(name, reference);
  const executors = new Map();
  const executor = (language) => {
    const options = {
      provider,
      languages: [language],
      limits: LIMITS,
      maxOutputBytes: OUTPUT_LIMIT_BYTES,
      sessionIdleTimeoutMs: SESSION_TIMEOUT_MS,
    };
    if (!executors.has(language)) executors.set(language, new SandboxExecutor(options));
    return executors.get(language);
  };
  try {
    const plain = name === 'docker' ? containerCommand(reference, signal) : hostCommand(signal);
    return await work({ name, executor, plain });
  } finally {
    await Promise.all([...executors.values()].map((each) => each.close()));
    await provider.close();
  }
}

/** The languages of a sandbox, and why it is not available on this machine, if it is not. */
export async function probePlace(name) {
  const provider = await loadProvider(name);
  try {
    const { usable, reason, remedy } = await provider.probe();
    const { languages } = provider;
    return { name, languages, obstacle: usable ? undefined : `${reason}. ${remedy}` };
  } finally {
    await provider.close();
  }
}

/** Opens a session. Its `run` runs a program, and its `close` ends it. */
export async function openSession(place, language) {
  const session = await place.executor(language).acquire({ sessionKey: randomUUID() });
  return {
    run: (code, timeoutMs) => session.execute(code, { language, timeoutMs }),
    close: () => session.destroy(),
  };
}

/** Opens a session for the duration of `work`, which gets its `run`. */
export async function withSession(place, language, work) {
  const { run, close } = await openSession(place, language);
  try {
    return await work(run);
  } finally {
    await close();
  }
}

async function openProvider(name, image) {
  if (name !== 'docker') return loadProvider(name);
  const { dockerProvider } = await import('../../dist/providers/docker/docker-provider.js');
  return dockerProvider({ image });
}
