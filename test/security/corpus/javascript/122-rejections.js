console.log('before');
for (let count = 0; count < 5000; count += 1) Promise.reject(new Error(`number ${count}`));
