import { beforeAll } from 'vitest';
import { describeWithEngine } from '../../support/engine.ts';
import { dockerSubject, makeOldestPython, OLDEST_PYTHON } from '../../support/subjects/docker.ts';
import { describeGuest } from '../describe-guest.ts';
import { pythonGroups } from '../python/groups.ts';

describeWithEngine('containers', (docker) => {
  beforeAll(makeOldestPython);

  describeGuest(dockerSubject(docker, 'python', OLDEST_PYTHON), pythonGroups());
});
