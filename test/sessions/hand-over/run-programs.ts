// Each time it gets SIGUSR2, runs the next of its programs in the session of a key, and prints the result or the
// code of the error as a line of JSON. Stays until it is killed.
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const [key = '', where, directory, ...programs] = process.argv.slice(2);
// Its files are in a directory of the test's: a process that is killed removes none.
process.env['TMPDIR'] = directory;
const persistent = where === 'persistent';
const provider = persistent ? 'docker' : unisolatedLocalProvider();
const executor = new SandboxExecutor({ provider });

async function runNext(): Promise<unknown> {
  try {
    return await executor.execute(programs.shift() ?? '', { key, persistent });
  } catch (error) {
    return PtcError.isInstance(error) ? error : String(error);
  }
}

process.on('SIGUSR2', () => {
  void runNext().then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
});
setInterval(() => undefined, 1000);
process.stdout.write('"ready"\n');
