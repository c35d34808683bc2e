import { utf16Of } from '../domain/previews/xml-root.js';

/** libvips takes content for an SVG where it finds this near the beginning, and only in UTF-8; librsvg draws others, too. */
const MARK = Buffer.from('<!--<svg-->');
const UTF8_BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const DECLARATION = /^\s*<\?xml\s[^>]*?\?>/;
const DECLARATION_WITHIN = 1024;

/** An SVG in UTF-8 that libvips recognizes, whatever its encoding, the prefix of its root element and what comes before it. */
export function readableSvg(content: Buffer): Buffer {
  const encoding = utf16Of(content) ?? declaredEncoding(content);
  const bytes = encoding ? Buffer.from(new TextDecoder(encoding).decode(content)) : withoutMark(content);
  // Without its declaration, XML is in UTF-8.
  return Buffer.concat([MARK, bytes.subarray(declarationOf(bytes).length)]);
}

const declarationOf = (bytes: Buffer): string =>
  DECLARATION.exec(bytes.subarray(0, DECLARATION_WITHIN).toString('latin1'))?.[0] ?? '';

/** One that extends ASCII, other than UTF-8. */
function declaredEncoding(content: Buffer): string | undefined {
  const declared = /\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(declarationOf(withoutMark(content)))?.[1];
  return declared && !/^(?:utf|ucs|iso-10646)/i.test(declared) ? declared : undefined;
}

const withoutMark = (content: Buffer): Buffer =>
  content.subarray(0, UTF8_BYTE_ORDER_MARK.length).equals(UTF8_BYTE_ORDER_MARK)
    ? content.subarray(UTF8_BYTE_ORDER_MARK.length)
    : content;
