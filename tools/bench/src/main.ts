console.error('no rows yet');
process.exitCode = 1;
