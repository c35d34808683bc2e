/**
 * `npm run test:object-stores`: runs the tests of object stores on each S3 server that the local launcher supports. The
 * first run builds MinIO, which takes some minutes. Ends with one line per server.
 *
 * `npm run test:object-stores -- minio` runs them only on that server.
 */
import { spawn } from 'node:child_process';

const SUITES = ['libs/object-store', 'services/filesvc', 'services/graphicssvc'];
const SERVERS = ['versitygw', 'minio'];

const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : SERVERS;
const unknown = wanted.filter((name) => !SERVERS.includes(name));
if (unknown.length > 0)
  throw new Error(`There is no S3 server ${unknown.join(', ')}: choose among ${SERVERS.join(', ')}.`);

/** Without settings for another server. */
const { S3_ENDPOINT: _endpoint, S3_ACCESS_KEY: _key, S3_SECRET_KEY: _secret, ...env } = process.env;

function test(server) {
  const jest = spawn('npx', ['jest', '--selectProjects', 'unit', '--', ...SUITES], {
    env: { ...env, S3_SERVER: server },
    stdio: 'inherit',
  });
  return new Promise((resolve) => jest.on('exit', (code) => resolve(code)));
}

const results = [];
for (const server of wanted) {
  console.log(`\n${server}`);
  results.push({ server, code: await test(server) });
}
for (const { server, code } of results) console.log(`${server}: ${code === 0 ? 'passed' : 'failed'}`);
process.exit(results.every(({ code }) => code === 0) ? 0 : 1);
