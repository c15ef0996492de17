console.log('before');
process.kill(process.pid, 'SIGKILL');
await new Promise(() => {});
