/** Lets owners take turns at a number of places. */
export interface Turns {
  /** Resolves once it is the owner's turn. @returns a function that ends the turn */
  take(owner: string): Promise<() => void>;
}

/** Owners take turns, regardless of how many turns each waits for. Of several places, no owner gets all. */
export function createTurns(places: number): Turns {
  const ownPlaces = Math.max(1, places - 1);
  const running = new Map<string, number>();
  /** In the order of the owners' turns. */
  const queues = new Map<string, (() => void)[]>();
  let free = places;

  const runningOf = (owner: string) => running.get(owner) ?? 0;

  function serve(): void {
    // Re-inserting an owner moves it to the end, and this loop reaches it again.
    for (const [owner, queue] of queues) {
      if (free === 0) return;
      if (runningOf(owner) >= ownPlaces) continue;
      queues.delete(owner);
      const next = queue.shift()!;
      if (queue.length > 0) queues.set(owner, queue);
      free -= 1;
      running.set(owner, runningOf(owner) + 1);
      next();
    }
  }

  function end(owner: string): void {
    free += 1;
    const left = runningOf(owner) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    serve();
  }

  return {
    async take(owner) {
      await new Promise<void>((resolve) => {
        const queue = queues.get(owner);
        if (queue) queue.push(resolve);
        else queues.set(owner, [resolve]);
        serve();
      });
      return () => end(owner);
    },
  };
}
