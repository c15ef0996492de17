import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject } from '../../support/subjects/docker.ts';
import { describeGuest } from '../describe-guest.ts';
import { javascriptGroups } from '../javascript/groups.ts';

describeWithEngine('containers', (docker) => {
  describeGuest(dockerSubject(docker, 'javascript'), javascriptGroups(), {
    groups: [],
    coveredBy: 'bubblewrap, which starts the same guest on the same kernel',
  });
});
