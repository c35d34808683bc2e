import type { Subject } from '@dtplatform/contracts';
import type { Subjects } from './ports.js';

const AT_ONCE = 16;

/** For the length of one call: asks about each subject once, however many entries name it, and about a few at a time. */
export function askOnce(subjects: Subjects): Subjects {
  const answers = new Map<string, Promise<boolean>>();
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;

  async function ask(subject: Subject): Promise<boolean> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await subjects.exists(subject);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  return {
    exists(subject) {
      const key = `${subject._type}:${subject._id}`;
      const answer = answers.get(key) ?? ask(subject);
      answers.set(key, answer);
      return answer;
    },
  };
}
