import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from './serve.js';

/** Parses checks and writes them back with results: no token, no validation, no permissions. */
serve(
  createServer((req, res) => {
    json(req).then(
      (questions) => {
        const list = (questions as object[]).map((question) => ({ ...question, _allowed: true }));
        const bytes = Buffer.from(JSON.stringify({ _list: list }));
        res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
        res.end(bytes);
      },
      () => res.destroy(),
    );
  }),
);
