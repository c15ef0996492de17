import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import { describeSuite } from './run-suite.ts';

describeSuite({
  name: 'embedded',
  language: 'python',
  provider: () => embeddedProvider(),
  kill: async ({ id }) => {
    process.kill(Number(id), 'SIGKILL');
  },
  cannot: {
    subprocesses: 'WebAssembly has no processes',
  },
});
