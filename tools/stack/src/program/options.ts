import { parseArgs } from 'node:util';

export interface ProgramOptions {
  port: number;
  fresh: boolean;
  tour: boolean;
  demo: boolean;
  /** Processes the queues in the services' own processes. */
  small: boolean;
  help: boolean;
}

export const USAGE = `npm start [-- --fresh] [-- --no-tour] [-- --no-demo] [-- --small]

  --fresh     empties the state in .dtplatform/ first
  --no-tour   leaves out the tour, which otherwise runs on the first start
  --no-demo   leaves out the demo: a building with data, and readings that keep arriving
  --small     half the processes: services process their queues themselves
  PORT=8080   the gateway's port`;

/** Throws an error to display when arguments or environment are invalid. */
export function programOptions(args: readonly string[], env: NodeJS.ProcessEnv): ProgramOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      fresh: { type: 'boolean', default: false },
      'no-tour': { type: 'boolean', default: false },
      'no-demo': { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const port = Number(env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT must be a port number from 0 to 65535, not "${env.PORT}"`);
  const { fresh, small, help } = values;
  return { port, fresh, tour: !values['no-tour'], demo: !values['no-demo'], small, help };
}
