export interface Share {
  /** Returns the bytes. Idempotent. */
  release(): void;
}

/** A memory budget that callers share and queue for. */
export interface ByteBudget {
  readonly totalBytes: number;
  readonly usedBytes: number;
  /** The number of requests in the queue. */
  waiting(): number;
  /** Whether others are queued and no caller holds more than this one. */
  isWantedFrom(caller: string): boolean;
  /** Reserves bytes only if they are free and nobody is queued. */
  tryReserve(bytes: number, caller: string): Share | undefined;
  /** Reserves bytes even beyond the budget, for work that must not wait. Later requests wait longer. */
  take(bytes: number, caller: string): Share;
  /**
   * Reserves bytes, waiting if necessary. A request larger than the budget takes all of it. Do not hold a share of the
   * same budget while waiting: that can deadlock.
   * @throws the reason of `signal` when it aborts; the request then leaves the queue
   */
  reserve(bytes: number, caller: string, signal?: AbortSignal): Promise<Share>;
}

interface Waiting {
  bytes: number;
  enter(share: Share): void;
}

/**
 * A budget of `totalBytes`, fair between callers: they take turns, and only a single share may exceed half of the
 * budget. Within a turn, smaller requests do not overtake a large one.
 */
export function createByteBudget(totalBytes: number): ByteBudget {
  const held = new Map<string, number>();
  /** Queued requests by caller, in the order of the callers' turns. */
  const queues = new Map<string, Waiting[]>();
  let usedBytes = 0;

  function exceedsHalf(bytes: number, caller: string): boolean {
    return held.has(caller) && held.get(caller)! + bytes > totalBytes / 2;
  }

  function take(bytes: number, caller: string): Share {
    usedBytes += bytes;
    held.set(caller, (held.get(caller) ?? 0) + bytes);
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        usedBytes -= bytes;
        const left = (held.get(caller) ?? 0) - bytes;
        if (left > 0) held.set(caller, left);
        else held.delete(caller);
        if (queues.size > 0) serve();
      },
    };
  }

  function serve(): void {
    // Re-inserting a caller moves it to the end, and this loop reaches it again.
    for (const [caller, queue] of queues) {
      const next = queue[0]!;
      if (exceedsHalf(next.bytes, caller)) continue;
      if (usedBytes + next.bytes > totalBytes) return;
      queue.shift();
      queues.delete(caller);
      if (queue.length > 0) queues.set(caller, queue);
      next.enter(take(next.bytes, caller));
    }
  }

  function leave(caller: string, waiting: Waiting): void {
    const queue = queues.get(caller)!;
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) queues.delete(caller);
    serve();
  }

  function tryReserve(wanted: number, caller: string): Share | undefined {
    const bytes = Math.min(wanted, totalBytes);
    const isFree = queues.size === 0 && usedBytes + bytes <= totalBytes && !exceedsHalf(bytes, caller);
    return isFree ? take(bytes, caller) : undefined;
  }

  function wait(wanted: number, caller: string, signal: AbortSignal | undefined): Promise<Share> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes: Math.min(wanted, totalBytes),
        enter(share) {
          signal?.removeEventListener('abort', giveUp);
          resolve(share);
        },
      };
      const giveUp = () => {
        leave(caller, waiting);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const queue = queues.get(caller);
      if (queue) queue.push(waiting);
      else queues.set(caller, [waiting]);
      serve();
    });
  }

  return {
    totalBytes,
    get usedBytes() {
      return usedBytes;
    },
    waiting: () => lengthOf(queues),
    isWantedFrom: (caller) => queues.size > 0 && held.get(caller) === Math.max(...held.values()),
    tryReserve,
    take,
    async reserve(bytes, caller, signal) {
      signal?.throwIfAborted();
      return tryReserve(bytes, caller) ?? wait(bytes, caller, signal);
    },
  };
}

const lengthOf = (queues: Map<string, Waiting[]>) => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
