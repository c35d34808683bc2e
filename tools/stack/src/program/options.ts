import { parseArgs } from 'node:util';

export interface ProgramOptions {
  port: number;
  fresh: boolean;
  tour: boolean;
  help: boolean;
}

export const USAGE = `npm start [-- --fresh] [-- --no-tour]

  --fresh     empties the state in .dtplatform/ first
  --no-tour   leaves out the tour, which otherwise runs on the first start
  PORT=8080   the gateway's port`;

/** Throws an error to display when arguments or environment are invalid. */
export function programOptions(args: readonly string[], env: NodeJS.ProcessEnv): ProgramOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { fresh: { type: 'boolean' }, 'no-tour': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const port = Number(env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT must be a port number from 0 to 65535, not "${env.PORT}"`);
  return { port, fresh: values.fresh ?? false, tour: !values['no-tour'], help: values.help ?? false };
}
