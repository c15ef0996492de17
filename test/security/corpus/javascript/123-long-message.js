console.log('before');
throw new Error('x'.repeat(4_000_000));
