import { embeddedSubject } from '../../support/subjects/embedded.ts';
import { describeGuest } from '../describe-guest.ts';
import { pythonGroups } from '../python/groups.ts';

describeGuest(embeddedSubject('python'), pythonGroups());
