import { writeFileSync } from 'node:fs';

const SLOWEST = 10;

/**
 * Writes the numbers of a run to the file that `JEST_REPORT` names, and prints its slowest test files. Jest's own `--json`
 * writes nothing when the value of a failed expectation has cycles.
 */
export default class JestReport {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }) {
    const numbers = { numPassedTests, numFailedTests, numRuntimeErrorTestSuites };
    writeFileSync(process.env.JEST_REPORT, JSON.stringify(numbers));
    const slowest = testResults
      .toSorted((one, other) => other.perfStats.runtime - one.perfStats.runtime)
      .slice(0, SLOWEST);
    const lines = slowest.map(
      ({ testFilePath, perfStats }) => `${(perfStats.runtime / 1000).toFixed(1).padStart(6)} s  ${testFilePath}`,
    );
    process.stdout.write(`\nSlowest test files:\n${lines.join('\n')}\n`);
  }
}
