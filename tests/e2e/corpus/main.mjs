/**
 * `npm run test:corpus`: sends invalid inputs to every parameter and field of every operation, on a separate platform,
 * for 28 minutes.
 *
 * `npm run test:corpus -- --minutes 5 --seed 7` sends others. With E2E_STATE_DIR it uses the running platform with that
 * state.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '28' }, seed: { type: 'string' } } });
const { status } = spawnSync('npx', ['jest', '--selectProjects', 'e2e', '--', 'tests/e2e/corpus'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    CORPUS_MINUTES: values.minutes,
    CORPUS_SEED: values.seed ?? String(randomInt(2 ** 31)),
  },
});
process.exitCode = status ?? 1;
