import { find, untilClicked } from './dom.js';

const PAGE_SIZE = 25;

type ShowPages = <Entry>(
  load: (signal: AbortSignal) => AsyncIterable<Entry>,
  show: (entry: Entry) => void,
  signal: AbortSignal,
) => Promise<void>;

/**
 * Shows a list page by page, on request. The next list replaces it.
 * @param list has a `.status` for the number of entries and a button `.more`
 */
export function createPages(list: HTMLElement): ShowPages {
  const status = find('.status', HTMLElement, list);
  const more = find('.more', HTMLButtonElement, list);
  let shown = new AbortController();

  async function showAll<Entry>(entries: AsyncIterable<Entry>, show: (entry: Entry) => void, signal: AbortSignal) {
    let count = 0;
    for await (const entry of entries) {
      signal.throwIfAborted();
      if (count > 0 && count % PAGE_SIZE === 0) {
        status.textContent = `The first ${count} are shown.`;
        await untilClicked(more, signal);
      }
      show(entry);
      count++;
    }
    signal.throwIfAborted();
    return count;
  }

  return async (load, show, left) => {
    shown.abort();
    shown = new AbortController();
    const signal = AbortSignal.any([left, shown.signal]);
    more.hidden = true;
    status.textContent = 'Loading …';
    try {
      status.textContent = totalOf(await showAll(load(signal), show, signal));
    } catch (error) {
      if (!signal.aborted) status.textContent = '';
      throw error;
    }
  };
}

function totalOf(count: number): string {
  if (count === 0) return 'Nothing found.';
  return count === 1 ? 'One entry.' : `${count} entries.`;
}
