/** Starts a sandbox whose command leaves a process that has its output and is not in its group, and closes it. Prints that process. */
import { startProcess } from '../../src/sandbox/provider-kit.ts';

const sandbox = await startProcess(['sh', '-c', `echo $(setsid sh -c 'sleep 1000 >&2 & echo $!')`]);
await new Promise<void>((resolve) => {
  sandbox.transport.listen({ message: () => {}, closed: () => resolve() });
});
process.stdout.write(sandbox.transport.diagnostics());
await sandbox.close();
