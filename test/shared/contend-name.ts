// Takes a name again and again, as often as it is told, together with others that do the same. While it has the name
// it makes a file that only one can make at a time, and fails if that is there. The last argument of some is `die`:
// they kill themselves with the name in their hands, the file removed.
import { open, unlink } from 'node:fs/promises';
import { Patience } from '../../src/shared/held-names/ask-holder.ts';
import { askForName, holdName } from '../../src/shared/held-names/held-name.ts';

const [name = '', witness = '', times = '1', then] = process.argv.slice(2);
const { signal } = new AbortController();
for (let taken = 0; taken < Number(times);) {
  const held = await holdName(name);
  if (held === undefined) {
    await askForName(name, new Patience(Infinity), signal);
    continue;
  }
  taken += 1;
  const file = await open(witness, 'wx');
  await new Promise((resolve) => setImmediate(resolve));
  await file.close();
  await unlink(witness);
  if (then === 'die' && taken === Number(times)) process.kill(process.pid, 'SIGKILL');
  await held.release();
}
