// A host that checks types with the built package, and shows its process.
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { TypeChecker } from '../../dist/languages/type-check/type-checker.js';

// A descriptor of the host that a child could inherit.
openSync('/dev/full');

const ENDLESS = `
  type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  type All = \`\${Digit}\${Digit}\${Digit}\${Digit}\`;
  type Grow<T extends string, N extends unknown[] = []> = N['length'] extends 900 ? N : Grow<\`\${T}\`, [...N, T]>;
  type Many = { [A in All]: Grow<A> };
  const wrong: Many[All] = 5 as unknown as { [A in All]: Grow<A> & Grow<\`\${A}\`> }[All];`;

function children() {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
}

const [, , what] = process.argv;
const checker = new TypeChecker((message) => console.log(message));
await checker.warmUp();
const pid = children();
const inherited = readdirSync(`/proc/${pid}/fd`)
  .map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`))
  .filter((path) => path === '/dev/full');
console.log(`inherited: ${inherited.join(' ') || 'none'}`);
// This process is killed before the answer comes.
if (what === 'check-for-ever') {
  checker
    .follow(false)
    .check({ language: 'typescript', code: ENDLESS, tools: [] })
    .catch((error) => console.log(error.message));
}
if (what === 'close') {
  await checker.close();
  console.log(`children: ${children() || 'none'}`);
}
if (what === 'wait' || what === 'check-for-ever') setInterval(() => {}, 1000);
console.log(`checker ${pid || 0}`);
