import { z } from 'zod';
import { httpUrl, s3Settings, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';

export const Config = z.object({
  ...serviceSettings,
  ...s3Settings,
  FILESVC_URL: httpUrl,
  /** Concurrent loads of one worker process. Each needs memory for two parts. */
  LOADS_AT_ONCE: wholeNumber(1).default(4),
  /** Bytes of all loaded files, beyond which the worker evicts the least recently used. 0 for no limit. */
  STORE_MAX_BYTES: wholeNumber(0).default(107_374_182_400),
  /** Days after which the worker evicts an unused file. 0 for no limit. */
  STORE_MAX_IDLE_DAYS: wholeNumber(0).default(30),
  EVICTION_EVERY_SEC: wholeNumber(1).default(600),
  /** Per process. */
  STREAM_CONNECTIONS: wholeNumber(1).default(1_000),
  /** Concurrent reads from the object store, for websockets. */
  STREAM_READS_AT_ONCE: wholeNumber(1).default(32),
  /** Bytes that are read and not yet sent. */
  STREAM_BUFFER_BYTES: wholeNumber(1_048_576).default(67_108_864),
  /** How long a client may take to accept one frame (64 KiB), in milliseconds. */
  STREAM_STALL_MS: wholeNumber(1).default(30_000),
  /** How long a client may take to accept one segment (512 KiB), which is in memory until then, in milliseconds. */
  STREAM_SEGMENT_MS: wholeNumber(1).default(60_000),
  /** Milliseconds between pings. A client that leaves three unanswered and accepts no frames is disconnected. */
  STREAM_PING_EVERY_MS: wholeNumber(1).default(30_000),
});
export type Config = z.infer<typeof Config>;
