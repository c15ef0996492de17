import { expect, it } from 'vitest';
import { securityReport } from './security-report.ts';

// `npm run security:report` writes the page.
it('docs/security-report.md lists the cases, the programs and the system calls of the code', async () => {
  await expect(securityReport()).toMatchFileSnapshot('../../docs/security-report.md');
});
