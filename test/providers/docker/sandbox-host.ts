// A host of a sandbox in a process of its own: starts a program that never ends, says so, and waits
// to be killed. At SIGUSR2 it closes the sandbox, says so, and ends when nothing keeps it.
import { once } from 'node:events';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxClient, specOf } from './support.ts';

const [sessionId = '', engine] = process.argv.slice(2);
const provider = dockerProvider(engine === undefined ? {} : { host: engine });
const client = new SandboxClient(await provider.create({ ...specOf('hosted'), sessionId }));
await client.next();
// It sleeps: a program that uses its whole share of the processor may not stop in time for `pause` on a busy machine.
client.start(
  'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint("busy")\nwhile True: signal.pause()',
);
await client.next();
const asked = once(process, 'SIGUSR2');
process.stdout.write('busy\n');
await asked;
await client.sandbox.close();
process.stdout.write('closed\n');
await provider.close();
