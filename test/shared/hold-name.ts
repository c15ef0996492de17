// Holds a name and says so; stays until it is killed, or ends at once where told to.
import { holdName } from '../../src/shared/held-names/held-name.ts';

const [name = '', then] = process.argv.slice(2);
await holdName(name);
process.stdout.write('held\n');
if (then === 'stay') setInterval(() => undefined, 1000);
