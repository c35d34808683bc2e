import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { writeResult } from './result.mjs';

const MAX_LINES = 12;
const MAX_CHARACTERS = 2_000;

/** Jest's own `--json` writes nothing when the value of a failed expectation has cycles. */
export default class JestReport {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }) {
    const failures = testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => {
      const file = relative(process.cwd(), testFilePath);
      const failed = tests
        .filter(({ status }) => status === 'failed')
        .map(
          ({ ancestorTitles, title, failureMessages }) =>
            `${file}: ${[...ancestorTitles, title].join(' ')}${reasonOf(failureMessages.join('\n'))}`,
        );
      return testExecError ? [`${file}${reasonOf(testExecError.message)}`, ...failed] : failed;
    });
    writeResult({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, failures });
  }
}

/** The first lines of an error, without colors. */
function reasonOf(message = '') {
  const lines = stripVTControlCharacters(message).slice(0, MAX_CHARACTERS).split('\n');
  return ['', ...lines.filter((line) => line.trim() !== '').slice(0, MAX_LINES)].join('\n    ');
}
