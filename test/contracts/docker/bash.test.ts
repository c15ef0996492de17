import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject } from '../../support/subjects/docker.ts';
import { DECIDED_BY_THE_SANDBOX, describeContract } from '../describe-contract.ts';

describeWithEngine('containers', (docker) => {
  describeContract(dockerSubject(docker, 'bash'), {
    groups: DECIDED_BY_THE_SANDBOX,
    coveredBy: 'bubblewrap, whose runner is the same',
  });
});
