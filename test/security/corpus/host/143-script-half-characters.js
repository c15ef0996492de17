for (const value of ['\ud800', ['x', '\udfff'.repeat(1000)], { '\ud83d': 1 }]) {
  console.log(['string', 'object'].includes(typeof (await verdict(echo({ value })))));
}
console.log(await echo({ value: 'after' }));
