#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT_CODES, exitCodeOf, explain } from './errors.js';
import { interruption } from './interruption.js';
import { createProgram } from './program.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our pipe, such as `head`, has closed it.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(EXIT_CODES.disk);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  else {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
} finally {
  interruption.release();
}
