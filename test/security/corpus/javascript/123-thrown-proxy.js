const broken = () => {
  throw new Error('broken');
};
console.log('before');
throw new Proxy(
  {},
  {
    get: broken,
    getPrototypeOf: broken,
    ownKeys: broken,
    has: broken,
    getOwnPropertyDescriptor: broken,
  },
);
