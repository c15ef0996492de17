import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { bubblewrapSubject } from '../../support/subjects/bubblewrap.ts';
import { describeGuest } from '../describe-guest.ts';
import { pythonGroups } from '../python/groups.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  describeGuest(bubblewrapSubject('python'), pythonGroups());
});
