import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject } from '../../support/subjects/docker.ts';
import { describeContract } from '../describe-contract.ts';

describeWithEngine('containers', (docker) => {
  describeContract(dockerSubject(docker, 'python'));
});
