hookAll();
const names = `assert assert/strict buffer crypto events path path/posix querystring string_decoder timers/promises url util`;
let loaded = 0;
for (const name of names.split(' ')) loaded += Object.keys(await import(name)).length > 1;
console.log(loaded);
const { createHash, randomUUID } = await import('crypto');
console.log(createHash('sha256').update('x').digest('hex').length, randomUUID().length);
