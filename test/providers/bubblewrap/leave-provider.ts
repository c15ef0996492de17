// Runs a program and closes the executor, but not the provider, which the executor does not own; then it just ends.
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

const executor = new SandboxExecutor({ provider: bubblewrapProvider() });
const { stdout } = await executor.execute('print(6 * 7)');
await executor.close();
process.stdout.write(stdout);
