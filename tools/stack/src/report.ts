import pc from 'picocolors';

/** Where the stack tells what it does while it does it. `subject` is a short name such as `mongodb` or `filesvc`. */
export interface Report {
  /** Something is under way. */
  progress: (subject: string, text: string) => void;
  /** Something is done. */
  ready: (subject: string, text: string) => void;
  /** Something is odd, and the stack goes on. */
  warn: (subject: string, text: string) => void;
}

const nothing = () => undefined;
export const silentReport: Report = { progress: nothing, ready: nothing, warn: nothing };

/** Plain lines, one per event: several things go on at once, and lines also read well in a log file. */
export function lineReport(write: (line: string) => void = console.log): Report {
  const line = (mark: string, subject: string, text: string) => write(`${mark} ${subject.padEnd(22)} ${text}`);
  return {
    progress: (subject, text) => line(pc.dim('·'), subject, pc.dim(text)),
    ready: (subject, text) => line(pc.green('✓'), subject, text),
    warn: (subject, text) => line(pc.yellow('!'), subject, text),
  };
}
