// Run as another user: takes the names that another user's process would have among the kernel's abstract sockets,
// hangs up on whoever connects, and says what it can see of that user's directory of names.
// Arguments: the user id of the other one, its directory, and the names.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';

const [userId = '', directory = '', ...names] = process.argv.slice(2);
await Promise.all(
  names.map(async (name) => {
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 40);
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      server.listen({ path: `\0sandboxed-ptc-${userId}-${digest}` }, resolve);
    });
  }),
);
const seen = await readdir(directory).catch((error: NodeJS.ErrnoException) => error.code);
process.stdout.write(`${JSON.stringify(seen)}\n`);
