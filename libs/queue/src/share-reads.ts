/**
 * Lets concurrent callers that ask for the same key share one read. Every result was read after its caller asked: a
 * caller that arrives during a read waits for the next one.
 */
export function shareReads<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const reads = new Map<string, { current: Promise<T>; next?: Promise<T> }>();

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const state: { current: Promise<T>; next?: Promise<T> } = { current: read() };
    reads.set(key, state);
    const end = () => {
      if (!state.next) reads.delete(key);
    };
    state.current.then(end, end);
    return state.current;
  }

  return (key, read) => {
    const state = reads.get(key);
    if (!state) return begin(key, read);
    const beginNext = () => begin(key, read);
    return (state.next ??= state.current.then(beginNext, beginNext));
  };
}
