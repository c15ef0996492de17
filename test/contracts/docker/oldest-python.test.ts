import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll } from 'vitest';
import { describeInDocker } from './subject.ts';

const engineScript = fileURLToPath(new URL('../../../scripts/test-engine.sh', import.meta.url));

beforeAll(async () => {
  await promisify(execFile)(engineScript, ['image', '3.9']);
}, 300_000);

// The image has nothing of this package: the runner is sent when a sandbox starts.
describeInDocker(
  { language: 'python', image: 'sandboxed-ptc-test:python3.9' },
  {
    groups: [
      ...['programs', 'output', 'output limits', 'limits', 'ends'],
      ...[
        'programs in Python',
        'modules in Python',
        'errors in Python',
        'output in Python',
        'output limits in Python',
      ],
      ...['values in Python', 'limits of values', 'asyncio', 'waiting', 'tools in Python'],
      ...['results of tools in Python', 'policy in Python', 'budgets in Python'],
      ...['limits in Python', 'threads', 'multiprocessing', 'ends in Python'],
    ],
    coveredBy: 'newer releases of Python: the host decides it',
  },
);
