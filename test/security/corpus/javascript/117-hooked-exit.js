hookAll();
process.exit(3);
