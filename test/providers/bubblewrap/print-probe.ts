// Prints whether bubblewrap works where this process runs.
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';

process.stdout.write(JSON.stringify(await bubblewrapProvider().probe()));
