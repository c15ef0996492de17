console.log('so far');
/^(?:(?:a+)+)+$/.test(`${'a'.repeat(100)}!`);
