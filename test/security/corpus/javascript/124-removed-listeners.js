console.log('before');
process.removeAllListeners();
setTimeout(() => {
  void Promise.reject(new Error('nobody handles it'));
}, 1);
await new Promise(() => {});
