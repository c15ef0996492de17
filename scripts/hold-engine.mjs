// Keeps the container engine of scripts/test-engine.sh up for as long as it is held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Finds an engine or starts one. It stays while the pipe to the script's command is open, so it
 * ends with this process even when that is killed.
 * @returns its address, and what lets go of it.
 * @throws what the script said, where there can be no engine.
 */
export async function holdEngine() {
  const child = spawn(
    'scripts/test-engine.sh',
    ['run', 'sh', '-c', 'echo "$DOCKER_HOST"; exec cat >/dev/null'],
    { stdio: 'pipe' },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  child.stdout.setEncoding('utf8');
  const closed = once(child, 'close');
  const address = await Promise.race([
    once(child.stdout, 'data').then(([text]) => text.trim()),
    closed.then(() => undefined),
  ]);
  if (address === undefined) throw new Error(said.trim());
  return {
    address,
    /** @returns whether the engine goes on, because another run still uses it. */
    async release() {
      child.stdin.end();
      await closed;
      return said.includes('a run still uses the engine');
    },
  };
}
