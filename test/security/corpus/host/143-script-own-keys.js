const own = JSON.parse('{"__proto__":{"polluted":true},"value":1}');
console.log(await verdict(echo({ value: own })));
for (const tool of [map_of_lists, closed, zod_record, zod3_record]) console.log(await verdict(tool(own)));
const names = ['constructor', 'prototype', 'then', 'toString', 'valueOf', 'length', 'hasOwnProperty', 'isPrototypeOf', '__lookupGetter__'];
const value = Object.fromEntries(names.map((name) => [name, { [name]: [name] }]));
console.log(JSON.stringify(await echo({ value })) === JSON.stringify(value));
console.log(await verdict(map_of_lists(Object.fromEntries(names.map((name) => [name, [name]])))));
console.log(await echo({ value: 'after' }));
