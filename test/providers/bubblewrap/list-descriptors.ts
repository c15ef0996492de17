// Prints what the descriptors lead to that a program and its supervisor have, of a sandbox that this process starts.
import { readdirSync, readlinkSync } from 'node:fs';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { readProcesses } from '../../../src/providers/bubblewrap/processes.ts';
import { SandboxClient, specOf } from '../docker/support.ts';

const client = new SandboxClient(await bubblewrapProvider().create(specOf('descriptors')));
await client.next();
await client.run('pass');
const { supervisor, others } = readProcesses(Number(client.sandbox.id));
// No user but root may ask about the supervisor.
const asked = process.getuid?.() === 0 ? [supervisor, ...others] : others;
const targets = asked.flatMap((process) => {
  const directory = `/proc/${process?.id}/fd`;
  return readdirSync(directory).map((name) =>
    readlinkSync(`${directory}/${name}`).replace(/:.*/, ''),
  );
});
process.stdout.write(
  JSON.stringify([...new Set(targets)].sort((one, other) => one.localeCompare(other))),
);
await client.sandbox.close();
