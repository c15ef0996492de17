console.log('before');
process.reallyExit(0);
