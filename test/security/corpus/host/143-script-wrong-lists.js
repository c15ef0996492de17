console.log(await verdict(nullable_list({ ids: Array.from({ length: 19_000 }, () => 1) })));
console.log(await verdict(zod_record({ ['k'.repeat(900_000)]: Array.from({ length: 2000 }, () => 1) })));
console.log(await verdict(map_of_lists({ ['k'.repeat(900_000)]: Array.from({ length: 2000 }, () => 1) })));
console.log(await verdict(patterns({ nested: `${'a'.repeat(28)}!` })));
console.log(await echo({ value: 'after' }));
