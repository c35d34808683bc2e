import { run } from './admin/run.js';

process.exitCode = await run(process.argv.slice(2));
