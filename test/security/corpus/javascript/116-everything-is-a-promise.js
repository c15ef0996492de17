console.log('before');
Object.prototype.then = function () {
  // It never comes to anything.
};
await echo({ value: 1 });
