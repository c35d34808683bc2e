import { mongo } from './mongo.js';
import { redis } from './redis.js';
import { s3Server } from './s3.js';
import { packagedProgram } from './sources/package.js';
import type { SourceContext } from './types.js';

/** The files of the packaged `mongod`, `redis-server` and `versitygw`, to run them elsewhere. */
export async function backendPrograms(context: SourceContext): Promise<string[]> {
  const programs = [];
  for (const spec of [mongo, redis, s3Server(context.env)]) programs.push(await packagedProgram(spec, context));
  return programs;
}
