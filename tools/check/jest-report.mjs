import { writeResult } from './result.mjs';

/** Jest's own `--json` writes nothing when the value of a failed expectation has cycles. */
export default class JestReport {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    writeResult({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites });
  }
}
