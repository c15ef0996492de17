// Makes a snapshot of the guest, whose script is beside this file. V8 compiles a function when it is first called, but a
// snapshot keeps what is compiled. So here it compiles all functions of the guest.
'use strict';

const { readFileSync } = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');

const script = readFileSync(`${__dirname}/guest.cjs`, 'latin1');
v8.setFlagsFromString('--no-lazy');
const start = vm.runInThisContext(`((require) => {${script}})`, { filename: 'runner:guest' });
// V8 accepts a snapshot only with the flags with which it was made, and it compiles programs lazily.
v8.setFlagsFromString('--lazy');
start(require);
