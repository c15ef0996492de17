// Starts a sandbox with a program that never ends, says so, and waits to be killed.
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxClient, specOf } from './support.ts';

const [sessionId = ''] = process.argv.slice(2);
const client = new SandboxClient(
  await dockerProvider().create({ ...specOf('abandoned'), sessionId }),
);
await client.next();
client.start(
  'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint("busy")\nwhile True: pass',
);
await client.next();
process.stdout.write('busy\n');
