import { relative } from 'node:path';
import { writeResult } from './result.mjs';

/** Jest's own `--json` writes nothing when the value of a failed expectation has cycles. */
export default class JestReport {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }) {
    const failures = testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => {
      const file = relative(process.cwd(), testFilePath);
      const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file}: ${fullName}`);
      return testExecError ? [file, ...failed] : failed;
    });
    writeResult({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, failures });
  }
}
