import { z } from 'zod';
import { httpUrl, s3Settings, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';

/** Settings of graphicssvc, from the environment. */
export const Config = z.object({
  ...serviceSettings,
  ...s3Settings,
  FILESVC_URL: httpUrl,
  /** Files that one worker process loads at the same time; each needs memory for up to two parts. */
  LOADS_AT_ONCE: wholeNumber(1).default(4),
  /** Bytes of all loaded files; beyond it the worker evicts those that were used least recently. 0 for no limit. */
  STORE_MAX_BYTES: wholeNumber(0).default(107_374_182_400),
  /** Days after which the worker evicts a file that nobody requests or reads. 0 for no limit. */
  STORE_MAX_IDLE_DAYS: wholeNumber(0).default(30),
  /** How often the worker looks for files to evict. */
  EVICTION_EVERY_SEC: wholeNumber(1).default(600),
  /** Websockets that one process serves at the same time. */
  STREAM_CONNECTIONS: wholeNumber(1).default(1_000),
  /** Reads of the object store for websockets at the same time. */
  STREAM_READS_AT_ONCE: wholeNumber(1).default(32),
  /** Memory for what was read and is not sent yet, in bytes. */
  STREAM_BUFFER_BYTES: wholeNumber(1_048_576).default(67_108_864),
  /** How long the client of a websocket may take to accept one frame (64 KiB), in milliseconds. */
  STREAM_STALL_MS: wholeNumber(1).default(30_000),
  /** How long it may take to accept one segment (512 KiB), which is in memory until then. */
  STREAM_SEGMENT_MS: wholeNumber(1).default(60_000),
  /** How often websockets are pinged. A client that leaves three unanswered, and accepts no frames meanwhile, is gone. */
  STREAM_PING_EVERY_MS: wholeNumber(1).default(30_000),
});
export type Config = z.infer<typeof Config>;
