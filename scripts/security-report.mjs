// `npm run security:report`: prints what is tested against hostile programs, as Markdown.
import { securityReport } from '../test/security/shown/report.ts';

process.stdout.write(securityReport());
