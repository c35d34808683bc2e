/**
 * Lets all who ask for the same at the same time share one read. What anybody gets was read after they asked: whoever comes while
 * a read is under way waits for the next one.
 */
export function shareReads<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, { running: Promise<T>; next?: Promise<T> }>();

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const state: { running: Promise<T>; next?: Promise<T> } = { running: read() };
    underWay.set(key, state);
    const end = () => {
      if (!state.next) underWay.delete(key);
    };
    state.running.then(end, end);
    return state.running;
  }

  return (key, read) => {
    const state = underWay.get(key);
    if (!state) return begin(key, read);
    const beginNext = () => begin(key, read);
    return (state.next ??= state.running.then(beginNext, beginNext));
  };
}
