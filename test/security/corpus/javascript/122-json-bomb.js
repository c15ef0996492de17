console.log('before');
try {
  JSON.parse('['.repeat(1_000_000));
} catch (error) {
  console.log(error.name);
}
let nested = {};
for (let depth = 0; depth < 20_000; depth += 1) nested = { nested };
try {
  JSON.stringify(nested);
} catch (error) {
  console.log(error.name);
}
nested;
