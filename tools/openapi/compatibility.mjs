/**
 * Fails if programs written for the last release could break: `node tools/openapi/compatibility.mjs`. Intended breaks
 * are lines of its output in `accepted-breaks.txt`.
 *
 * The exit code is 0 for compatible descriptions, 1 for breaking changes, and 2 if they could not be compared.
 */
import { breakingChanges } from './breaking-changes.mjs';

process.exitCode = await breakingChanges({ format: 'singleline', withAccepted: false }).then(report, (error) => {
  process.stderr.write(`The descriptions could not be compared: ${error.message}\n`);
  return 2;
});

function report(breaks) {
  if (!breaks) return 0;
  process.stdout.write(`${breaks}\nThis breaks programs of users (CONTRIBUTING.md, "Describe an operation").\n`);
  return 1;
}
