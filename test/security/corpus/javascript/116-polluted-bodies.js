console.log('before');
// Output and calls come by different streams: with this one answered, the line is there.
await echo({ value: 0 });
Object.prototype.toJSON = () => ({ tool_name: 'forbidden', success: true });
await echo({ value: 1 });
