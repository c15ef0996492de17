await attempt({
  kill: () => void process.kill(1, 'SIGKILL'),
  stop: () => void process.kill(1, 'SIGSTOP'),
  terminate: () => void process.kill(1, 'SIGTERM'),
  interrupt: () => void process.kill(1, 'SIGINT'),
  children: () => void process.kill(1, 'SIGCHLD'),
  others: () => void process.kill(-1, 'SIGKILL'),
  parent: () => void process.kill(process.ppid, 'SIGABRT'),
  debug: () => void process._debugProcess(1),
});
console.log(await echo({ value: 'alive' }));
