console.log('before');
throw new Error('x'.repeat(20_000_000));
