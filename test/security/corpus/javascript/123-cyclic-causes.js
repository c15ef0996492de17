const first = new Error('first');
let last = first;
for (let depth = 0; depth < 2000; depth += 1) last = new Error(`number ${depth}`, { cause: last });
first.cause = last;
throw new AggregateError([last, first, last], 'many', { cause: last });
