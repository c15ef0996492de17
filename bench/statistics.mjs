// Medians, because timings on shared machines have long tails.

/** The median of numbers. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The smallest of the numbers that this share of them, such as 0.99, does not exceed. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** How long `work` takes, in milliseconds. */
export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How much processor time this process uses for `work`, in milliseconds. */
export async function processorTime(work) {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The longest turn of the event loop: in processor time, if that is less than the time it took. */
export function watchTurns() {
  let longest = 0;
  let isOver = false;
  let startedAt = performance.now();
  let used = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(performance.now() - startedAt, (user + system) / 1000));
    startedAt = performance.now();
    used = process.cpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    longest() {
      isOver = true;
      look();
      return longest;
    },
  };
}

/** Runs the measurements in turn, round after round, so that a slow period affects all of them. */
export async function interleave(rounds, measurements) {
  const samples = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) {
      samples[name].push(await measure());
    }
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, values]) => [name, median(values)]),
  );
}
