import { beforeAll } from 'vitest';
import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject, makeOldestPython, OLDEST_PYTHON } from '../../support/subjects/docker.ts';
import { describeContract } from '../describe-contract.ts';

describeWithEngine('containers', (docker) => {
  beforeAll(makeOldestPython);

  describeContract(dockerSubject(docker, 'python', OLDEST_PYTHON), {
    groups: [
      ...['programs', 'output', 'output limits', 'limits', 'ends'],
      'processes and threads in Python',
    ],
    coveredBy: 'newer releases of Python: the host decides it',
  });
});
