// Functions whose costs are known, for the cost fuzzer.

const shapes = ['a', '!', 'ab'].map((pump) => ({ before: '', pump, after: '' }));
const [harmless] = shapes;
let runs = 0;

function target(name, run) {
  return { name, of: 'nothing', make: () => ({ shapes, harmless, run, isText: true }) };
}

export const TARGETS = [
  target('linear', (text) => count(text, (character) => character === '!')),
  target('quadratic for some', (text) =>
    count(text, (one) => one === '!' && count(text, (other) => other < one) > text.length),
  ),
  target('quadratic in a process that has tried much', (text) => {
    runs += 1;
    const isCounted = (one) => runs > 50 && one === '!';
    return count(
      text,
      (one) => isCounted(one) && count(text, (other) => other < one) > text.length,
    );
  }),
  target('exponential for some', (text) => text.includes('!') && steps(text.length)),
  target('throws for some', (text) => {
    if (text.includes('b')) throw new TypeError('it has a b');
  }),
  target('ends its process for some', (text) => {
    if (text.includes('b')) process.abort();
  }),
];

function count(text, isCounted) {
  let counted = 0;
  for (const character of text) if (isCounted(character)) counted += 1;
  return counted;
}

function steps(size) {
  return size === 0 ? 1 : steps(size - 1) + steps(size - 1);
}
