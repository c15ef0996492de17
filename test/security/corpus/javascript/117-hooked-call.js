hookAll();
console.log(await echo({ value: 1 }), await echo({ value: ['x'.repeat(300_000)] }).then(String).then((text) => text.length));
