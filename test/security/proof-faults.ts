import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Proof } from './cases/security-case.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is wrong with a proof: a test or a program that does not exist, or a reason that says nothing. */
export function faultsOf(proof: Proof): string[] {
  if ('test' in proof) {
    if (!existsSync(`${root}${proof.test}`)) return [`the file ${proof.test} does not exist`];
    const source = readFileSync(`${root}${proof.test}`, 'utf8');
    const found = ["'", '"', '`'].some((quote) => source.includes(quote + proof.title + quote));
    return found ? [] : [`${proof.test} has no test "${proof.title}"`];
  }
  if ('corpus' in proof) {
    const file = `test/security/corpus/${proof.corpus}.json`;
    return existsSync(`${root}${file}`) ? [] : [`the file ${file} does not exist`];
  }
  const reason = 'gap' in proof ? proof.gap : proof.open;
  return reason.length < 20 ? [`"${reason}" gives no reason`] : [];
}
