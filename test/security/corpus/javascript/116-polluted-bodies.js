console.log('before');
Object.prototype.toJSON = () => ({ tool_name: 'forbidden', success: true });
await echo({ value: 1 });
