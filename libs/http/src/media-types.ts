import { format, parse } from 'content-type';

/** The media type that a header names, in lower case and without its parameters; empty if the header is missing. */
export const mediaTypeOf = (header: string | undefined): string => parse(header ?? '', { parameters: false }).type;

/**
 * A `Content-Type` header with its parameters quoted as in RFC 9110, section 5.6.6: readers of forms differ in what else they
 * take. What is malformed stays as it is.
 */
export function normalizedContentType(header: string): string {
  try {
    return format(parse(header));
  } catch {
    return header;
  }
}

/** An `Accept` header without the parameters of its media types, except their weights. */
export const withoutParameters = (accept: string): string =>
  accept
    .split(',')
    .map((range) => {
      const [type, ...parameters] = range.split(';');
      return [type, ...parameters.filter((parameter) => /^\s*q\s*=/i.test(parameter))].join(';');
    })
    .join(',');
