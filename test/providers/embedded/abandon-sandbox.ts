// Starts a sandbox with a program that never ends, says its process id, and waits to be killed.
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxClient, specOf } from '../docker/support.ts';

const client = new SandboxClient(await embeddedProvider().create(specOf('abandoned')));
await client.next();
client.start(
  'print("busy", flush=True)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass',
);
await client.next();
process.stdout.write(`${client.sandbox.id}\n`);
