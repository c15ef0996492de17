// Runs its programs in the session of a key, one each time it is told to.
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { whenTold } from '../../support/when-told.ts';

const [key = '', where, ...programs] = process.argv.slice(2);
const persistent = where === 'docker';
const executor = new SandboxExecutor({
  provider: persistent ? 'docker' : unisolatedLocalProvider(),
});
whenTold(async () => executor.execute(programs.shift() ?? '', { sessionKey: key, persistent }));
