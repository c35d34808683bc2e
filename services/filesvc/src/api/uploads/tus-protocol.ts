import type { RequestHandler } from 'express';
import { errors } from '../../errors.js';

/** The supported version and extensions (tus 1.0, "Core Protocol" and "Termination"). */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'termination';

const OVERRIDABLE = new Set(['PATCH', 'DELETE', 'HEAD']);

/** tus 1.0, "X-HTTP-Method-Override": for clients that can only send GET and POST. */
export const methodOverride: RequestHandler = (req, _res, next) => {
  const method = String(req.headers['x-http-method-override']).toUpperCase();
  if (req.method === 'POST' && OVERRIDABLE.has(method)) req.method = method;
  next();
};

/**
 * Every response to a resumable call has the version, and none may be cached (tus 1.0, "HEAD"). Requests of another version
 * are rejected.
 */
export const tusProtocol: RequestHandler = (req, res, next) => {
  const version = req.headers['tus-resumable'];
  if (version !== undefined || req.query.uploadType === 'resumable') {
    res.setHeader('tus-resumable', TUS_VERSION);
    res.setHeader('cache-control', 'no-store');
  }
  const isSupported = version === undefined || version === TUS_VERSION || req.method === 'OPTIONS';
  next(isSupported ? undefined : errors.unsupportedTusVersion({ headers: { 'tus-version': TUS_VERSION } }));
};
