/** The user, or the system, has told the program to stop. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted.');
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}

const stop = new AbortController();
const onInt = () => stop.abort(new Interrupted('SIGINT'));
const onTerm = () => stop.abort(new Interrupted('SIGTERM'));
process.once('SIGINT', onInt).once('SIGTERM', onTerm);

/** What runs ends in order at the first Ctrl-C; the second one ends the process. */
export const interruption = {
  signal: stop.signal,
  release: () => void process.off('SIGINT', onInt).off('SIGTERM', onTerm),
};
