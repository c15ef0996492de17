// The names of the runner's own scripts and modules: none is known, and each can be declared.
const runnerNames =
  'guest enter ways script bundle link platform trackTimers sendToSupervisor';
console.log(runnerNames.split(' ').filter((name) => name in globalThis));
const path = 1;
const modules = 2;
const sources = 3;
const vm = 4;
let run = 5;
function load() {
  return 6;
}
class Guest {}
console.log(
  path,
  modules,
  sources,
  vm,
  run,
  load(),
  typeof Guest,
  typeof sourceModule,
  typeof inflateSync,
);
