hookAll();
void Promise.reject(new Error('unheard'));
await new Promise(() => {});
