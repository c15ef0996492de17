// Draws what the demo prints, shortened, as the picture of the README.
//
//   npm run build && node scripts/draw-demo.mjs [FILE]
//
// FILE is docs/images/demo.svg by default. Only the times of the tool calls, and their order, differ from run to run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const [file = 'docs/images/demo.svg'] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '..');

/** The sections of the demo's output, which are separated by empty lines. */
const SECTIONS = 11;
/** Longer lines of prose are wrapped. Lines of the program are shorter. */
const COLUMNS = 90;

const FONT_SIZE = 13;
/** The widest of the usual fonts. */
const COLUMN_WIDTH = FONT_SIZE * 0.61;
const LINE_HEIGHT = 17;
const MARGIN = 18;

/** Colours on the picture's own dark background, which look the same on a light and on a dark page. */
const STYLE = [
  `text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d5dbe3;white-space:pre}`,
  '.dim{fill:#8b95a3}',
  '.code{fill:#7fd1de}',
  '.strong{fill:#fff;font-weight:bold}',
  '.good{fill:#7ddc8a}',
  '.figure{fill:#ffd479;font-weight:bold}',
].join('');

/** Runs the demo with the script that stands in for a model, whatever keys there are. */
function demoOutput() {
  const services = /^(?:ANTHROPIC|AWS|OPENAI)_/;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !services.test(name)),
  );
  const args = [resolve(root, 'dist/cli/main.js'), 'demo'];
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' });
}

/** The lines of the picture. */
function excerpt(output) {
  const sections = output.trimEnd().split('\n\n');
  if (sections.length !== SECTIONS) {
    throw new Error(
      `The demo printed ${sections.length} sections instead of ${SECTIONS}. Look at its output, and change this script.`,
    );
  }
  const [, question, plan, programAndCalls, printed] = sections.map((section) =>
    section.split('\n'),
  );
  const [answer, people, summary] = sections.slice(-3).map((section) => section.split('\n'));
  const program = programAndCalls.filter((line) => /^ {2}[╭│╰]/.test(line));
  const calls = programAndCalls.filter((line) => line.startsWith('  →'));
  const parts = [
    ['$ npx sandboxed-ptc demo'],
    question,
    plan.flatMap((line) => wrapped(line)),
    [...shortened(program, 9, 3, '  │ ', 'lines'), ...shortened(calls, 3, 1, '  ', 'calls')],
    printed,
    ['…'],
    [...answer, '', ...people],
    summary.filter((line) => /^ {2}(?:Model turns|To)/.test(line)),
  ];
  return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

/** The first and the last lines, and between them how many are left out. */
function shortened(lines, first, last, indent, what) {
  const left = lines.length - first - last;
  return [...lines.slice(0, first), `${indent}… ${left} more ${what}`, ...lines.slice(-last)];
}

function wrapped(text) {
  return text.match(new RegExp(`.{1,${COLUMNS}}(?:\\s|$)`, 'g')).map((line) => line.trimEnd());
}

/** The parts of a line, each with its class. */
const LOOKS = [
  [/^(\$ )(.*)$/, ['dim', 'strong']],
  [/^(>.*| {2}budget is .*| {2}largest travel .*)$/, ['strong']],
  [/^(.*… \d+ more \w+|…)$/, ['dim']],
  [/^( {2}[╭╰].*)$/, ['dim']],
  [/^( {2}│)( \d+ line items .*)$/, ['dim', 'figure']],
  [/^( {2}│)(.*)$/, ['dim', 'code']],
  [/^( {2}→ )(.*?)( +\d+ ms)$/, ['good', '', 'dim']],
  [/^( {2}(?:Model|Tool|Tokens)[\w ]*?)( {2,})(.*)$/, ['dim', '', 'figure']],
];

function spansOf(line) {
  for (const [pattern, classes] of LOOKS) {
    const parts = pattern.exec(line)?.slice(1);
    if (parts) return parts.map((part, index) => span(part, classes[index])).join('');
  }
  return escaped(line);
}

function span(text, look) {
  return look === '' ? escaped(text) : `<tspan class="${look}">${escaped(text)}</tspan>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function draw(lines) {
  const columns = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(columns * COLUMN_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.flatMap((line, index) => {
    const y = MARGIN + FONT_SIZE + index * LINE_HEIGHT;
    return line === ''
      ? []
      : `<text xml:space="preserve" x="${MARGIN}" y="${y}">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>The output of the demo, shortened</title>',
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

const picture = draw(excerpt(demoOutput()));
const path = resolve(root, file);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, picture);
console.log(`${file}: ${Buffer.byteLength(picture)} bytes`);
