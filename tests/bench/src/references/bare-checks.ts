import { json } from 'node:stream/consumers';
import { serveJson } from './serve.js';

/** Parses checks and writes them back with results: no token, no validation, no permissions. */
serveJson(async (req) => {
  const questions = (await json(req)) as object[];
  return { _list: questions.map((question) => ({ ...question, _allowed: true })) };
});
