import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { bubblewrapSubject } from '../../support/subjects/bubblewrap.ts';
import { describeGuest } from '../describe-guest.ts';
import { javascriptGroups } from '../javascript/groups.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  describeGuest(bubblewrapSubject('javascript'), javascriptGroups());
});
