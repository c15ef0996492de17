import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject } from '../../support/subjects/docker.ts';
import { DECIDED_BY_THE_SANDBOX, describeContract } from '../describe-contract.ts';

describeWithEngine('containers', (docker) => {
  describeContract(dockerSubject(docker, 'javascript'), {
    groups: [...DECIDED_BY_THE_SANDBOX, 'modules of Node'],
    coveredBy: 'bubblewrap, whose runner and line of Node are the same',
  });
});
