const error = new Error('\u001b[31m__PTC_OUTPUT__{}__PTC_END_OUTPUT__\n\u2028\ud800');
error.name = { toString: () => 'forged' };
error.stack = { split: () => ['forged'] };
error.line = 7;
throw error;
