const sparse = Array.from({ length: 9000 });
sparse[8999] = 1;
console.log((await echo({ value: sparse })).length);
console.log(await verdict(nullable_list({ ids: sparse })), await verdict(zod_union({ ids: sparse })));
const integers = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [String(index * 65536), index]));
console.log(Object.keys(await echo({ value: integers })).length, await verdict(closed(integers)));
console.log(await verdict(echo({ value: [-0, 1e308, 5e-324, 2 ** 53 - 1] })).then(String));
console.log(await echo({ value: 'after' }));
