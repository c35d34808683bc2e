export type SourceType = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'svg' | 'pdf';

/** The first bytes, which determine the type. */
export const HEAD_BYTES = 4096;
/** For XML, whose root element may follow long comments and declarations. */
export const XML_HEAD_BYTES = 256 * 1024;
/** PDF readers accept other bytes before the header. */
const PDF_HEADER_WITHIN = 1024;

const startsWith = (head: Buffer, text: string, offset = 0) =>
  head.subarray(offset, offset + text.length).toString('latin1') === text;

const SIGNATURES: Record<SourceType, (head: Buffer) => boolean> = {
  jpeg: (head) => startsWith(head, '\xff\xd8\xff'),
  png: (head) => startsWith(head, '\x89PNG\r\n\x1a\n'),
  gif: (head) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
  webp: (head) => startsWith(head, 'RIFF') && startsWith(head, 'WEBP', 8),
  tiff: (head) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].some((signature) => startsWith(head, signature)),
  pdf: (head) => head.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-'),
  svg: (head) => rootOfXml(head) === 'svg',
};

/** Undefined when no previews can be made. */
export const sourceTypeOf = (head: Buffer): SourceType | undefined =>
  (Object.keys(SIGNATURES) as SourceType[]).find((type) => SIGNATURES[type](head));

export function maySourceBegin(bytes: Buffer): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  return sourceTypeOf(head) !== undefined || needsMore(head);
}

export const needsMore = (head: Buffer): boolean => rootOfXml(head) === 'later';

const COMMENT = /<!--[\s\S]*?-->/y;
const INSTRUCTION = /<\?[\s\S]*?\?>/y;
const QUOTED = /"[^"]*"|'[^']*'/y;
const SPACE = /\s+/y;
const DOCTYPE = /<!DOCTYPE(?=\s)/y;
const ELEMENT = /<(?:[^\s<>/:?!"'=]+:)?([^\s<>/:?!"'=]+)(?=[\s/>])/y;
/** A prolog or root that is cut off. */
const UNFINISHED = /^(?:$|<[?!]|<[^\s/>]*$)/;

/**
 * The local name of an XML document's root element, after any declarations, comments, instructions and document type.
 * Linear time.
 * @param head the first bytes, in UTF-8, UTF-16 or an encoding that extends ASCII
 * @returns undefined if it is not XML, `later` if the root comes after these bytes
 */
function rootOfXml(head: Buffer): string | undefined {
  const text = textOf(head);
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found?.[1] ?? found?.[0];
  };
  const takeProlog = () => take(SPACE) ?? take(INSTRUCTION) ?? take(COMMENT) ?? (take(DOCTYPE) && takeDocumentType());
  while (takeProlog());
  return take(ELEMENT) ?? (UNFINISHED.test(text.slice(at)) ? 'later' : undefined);

  /**
   * Ends at its `>`, not at those in quotes, comments, instructions and its declarations.
   * @returns undefined without an end
   */
  function takeDocumentType(): string | undefined {
    const start = at;
    let isInside = false;
    while (at < text.length) {
      if (take(QUOTED) ?? take(COMMENT) ?? take(INSTRUCTION)) continue;
      // Searching again for a missing end would take quadratic time.
      if (text.startsWith('<!--', at) || text.startsWith('<?', at)) break;
      const char = text[at++];
      if (char === '[') isInside = true;
      else if (char === ']') isInside = false;
      else if (char === '>' && !isInside) return char;
    }
    at = start - '<!DOCTYPE'.length;
    return undefined;
  }
}

function textOf(head: Buffer): string {
  const encoding = utf16Of(head);
  return encoding ? new TextDecoder(encoding).decode(head) : head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
}

/** By its byte order mark or first `<`; undefined if it is not UTF-16. */
export function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const first = head.subarray(0, 2).toString('latin1');
  if (first === '\xff\xfe' || first === '<\0') return 'utf-16le';
  return first === '\xfe\xff' || first === '\0<' ? 'utf-16be' : undefined;
}
