// Prints tables for people.

const LABEL_WIDTH = 60;
const CELL_WIDTH = 16;

/** Prints the rows of one provider. */
export function printRows(rows, floorName) {
  line('', 'here', floorName, 'ratio', 'goal', 'met');
  for (const [{ name, label }, row] of rows) {
    line(
      `${name.padEnd(8)} ${label} (${row.unit})`,
      figure(row.value),
      row.floor === undefined ? '' : figure(row.floor),
      row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}x`,
      row.goal ?? '',
      row.met === undefined ? '' : row.met ? 'yes' : 'NO',
    );
    for (const note of row.notes) console.log(`         ${note}`);
  }
}

/** Prints the results of `compareRuns`. */
export function printChanges(changes, earlierDate) {
  console.log(
    `\nAgainst the run of ${earlierDate}; figures are ratios to floors where there are some`,
  );
  line('', 'then', 'now', 'change', '');
  for (const { provider, name, before, after, change, worse } of changes) {
    const percent = `${change >= 0 ? '+' : ''}${(change * 100).toFixed(0)} %`;
    line(`${provider} ${name}`, figure(before), figure(after), percent, worse ? 'WORSE' : '');
  }
  if (changes.length === 0) console.log('The two runs have no row in common.');
}

function line(label, ...cells) {
  const text = cells.map((cell) => cell.padStart(CELL_WIDTH)).join('');
  console.log((label.padEnd(LABEL_WIDTH) + text).trimEnd());
}

function figure(value) {
  return Math.abs(value) < 10 ? value.toFixed(3) : value.toFixed(1);
}
