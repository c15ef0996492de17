import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const RUNNER = fileURLToPath(new URL('../../../../runner', import.meta.url));
const LOADED = `
import os, sys
before = set(sys.modules)
sys.path.insert(0, ${JSON.stringify(RUNNER)})
import sidecar.relay
print(*sorted(set(sys.modules) - before))
`;

// Each connection to a pod waits for it. Other modules, such as `socket`, take longer than all else that it does.
it('a relay loads two small modules beside those that each interpreter has', async () => {
  const { stdout } = await run('python3', ['-I', '-S', '-B', '-c', LOADED]);
  expect(stdout).toBe('_socket _struct sidecar sidecar.relay struct\n');
});
