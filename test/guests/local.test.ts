import { localSubject, unlessInBubblewrap } from '../support/subjects/local.ts';
import { describeGuest } from './describe-guest.ts';
import { javascriptGroups } from './javascript/groups.ts';
import { pythonGroups } from './python/groups.ts';

describeGuest(localSubject('python'), pythonGroups(), unlessInBubblewrap('python'));
describeGuest(localSubject('javascript'), javascriptGroups(), unlessInBubblewrap('javascript'));
