/**
 * `npm run test:schemathesis`: all phases of schemathesis with many examples, on a separate platform; takes minutes.
 *
 * `npm run test:schemathesis -- --max-examples 500 --seed 7` passes arguments of `schemathesis run`. With E2E_STATE_DIR
 * it uses the running platform with that state.
 */
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
const args = ['--max-examples', '50', ...given];
const { status } = spawnSync('npx', ['jest', '--selectProjects', 'e2e', '--', 'tests/e2e/schemathesis'], {
  stdio: 'inherit',
  env: { ...process.env, SCHEMATHESIS_ARGS: JSON.stringify(args) },
});
process.exitCode = status ?? 1;
