/** Global setup of the unit tests: the backends named in the environment. */
export default function startBackends() {
  for (const name of ['MONGO_URL', 'REDIS_URL', 'S3_ENDPOINT'])
    if (!process.env[name]) throw new Error(`${name} is not set`);
}
