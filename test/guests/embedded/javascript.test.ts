import { embeddedSubject } from '../../support/subjects/embedded.ts';
import { describeGuest } from '../describe-guest.ts';
import { javascriptGroups } from '../javascript/groups.ts';

describeGuest(embeddedSubject('javascript'), javascriptGroups());
