// Acquires a key, says whether it got it, and stays until it is killed. Its files are in a directory of
// the test's, for who is killed removes none.
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

const [key = '', directory] = process.argv.slice(2);
process.env['TMPDIR'] = directory;
const executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
try {
  await executor.acquire({ sessionKey: key });
  process.stdout.write('acquired\n');
} catch (error) {
  process.stdout.write(`${PtcError.isInstance(error) ? error.code : String(error)}\n`);
}
setInterval(() => undefined, 1000);
