const nasty = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2066\u2028\u200b\u007f\r';
console.log(await verdict(closed({ [nasty]: nasty })), await verdict(fail_with({ message: nasty })));
console.error(nasty.repeat(1000));
const error = new Error(nasty + 'm'.repeat(10_000_000));
error.name = nasty + 'E'.repeat(1_000_000);
throw error;
