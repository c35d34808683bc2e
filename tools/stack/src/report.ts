import pc from 'picocolors';

/** `subject` is a short name such as `mongodb` or `filesvc`. */
export interface Report {
  progress: (subject: string, text: string) => void;
  ready: (subject: string, text: string) => void;
  /** Something is wrong, but the stack continues. */
  warn: (subject: string, text: string) => void;
}

const nothing = () => undefined;
export const silentReport: Report = { progress: nothing, ready: nothing, warn: nothing };

/** One plain line per event: several tasks run at once, and lines suit a log file. */
export function lineReport(write: (line: string) => void = console.log): Report {
  const line = (mark: string, subject: string, text: string) => write(`${mark} ${subject.padEnd(22)} ${text}`);
  return {
    progress: (subject, text) => line(pc.dim('·'), subject, pc.dim(text)),
    ready: (subject, text) => line(pc.green('✓'), subject, text),
    warn: (subject, text) => line(pc.yellow('!'), subject, text),
  };
}
