/** The user or the system has interrupted the program. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('Interrupted.');
    this.exitCode = exitCode;
  }
}

const stop = new AbortController();

/** The first Ctrl-C stops running work in order; the second one ends the process. */
function end(exitCode: number): void {
  if (stop.signal.aborted) process.exit(exitCode);
  stop.abort(new Interrupted(exitCode));
}

const onInt = () => end(130);
const onTerm = () => end(143);
// Not `once`: without a listener, the handler of proper-lockfile would end the process.
process.on('SIGINT', onInt).on('SIGTERM', onTerm);

export const interruption = {
  signal: stop.signal,
  release: () => void process.off('SIGINT', onInt).off('SIGTERM', onTerm),
};
