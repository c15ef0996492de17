console.log('before');
const down = () => down() + 1;
down();
