// Starts a sandbox with a program that ignores signals and never ends, says its process id, and waits to be killed.
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { SandboxClient, specOf } from '../docker/support.ts';

const client = new SandboxClient(await bubblewrapProvider().create(specOf('abandoned')));
await client.next();
client.start(
  'import signal, subprocess\nfor number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\nsubprocess.Popen(["sleep", "1000"])\nprint("busy", flush=True)\nwhile True: pass',
);
await client.next();
process.stdout.write(`${client.sandbox.id}\n`);
