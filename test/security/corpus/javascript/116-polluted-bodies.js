console.log('before');
// The call has these as its arguments.
Object.prototype.toJSON = () => ({ tool_name: 'forbidden', success: true });
await echo({ value: 1 });
Object.prototype.toJSON = () => 5;
await echo({ value: 1 }).catch((error) => console.log(error.message));
delete Object.prototype.toJSON;
console.log(await echo({ value: 2 }));
