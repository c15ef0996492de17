console.log('before');
Object.defineProperty(Object.prototype, 'get', { value: () => 'forged', configurable: true });
Object.prototype.execution_id = '0';
Object.prototype.tool_name = 'forbidden';
Object.prototype.error = null;
Object.prototype.success = true;
console.log(await echo({ value: 1 }));
throw new Error('the real end');
