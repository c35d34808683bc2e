const COMMENT = /<!--[\s\S]*?-->/y;
const INSTRUCTION = /<\?[\s\S]*?\?>/y;
const QUOTED = /"[^"]*"|'[^']*'/y;
const SPACE = /\s+/y;
const DOCTYPE = /<!DOCTYPE(?=\s)/y;
const ELEMENT = /<(?:[^\s<>/:?!"'=]+:)?([^\s<>/:?!"'=]+)(?=[\s/>])/y;
/** What may become part of a prolog, or a root, with more bytes. */
const UNFINISHED = /^(?:$|<[?!]|<[^\s/>]*$)/;

/**
 * The local name of the root element of an XML document, whatever its prefix and whatever comes before it: declarations,
 * comments, instructions and a document type. Takes a time that is linear in the length.
 * @param head its first bytes, in UTF-8, UTF-16 or an encoding that extends ASCII
 * @returns undefined if it is no XML, `later` if the root comes after these bytes
 */
export function rootOfXml(head: Buffer): string | undefined {
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

  /** Up to its `>`, past those in quotes, comments, instructions and its own declarations. @returns nothing if it has no end */
  function takeDocumentType(): string | undefined {
    const start = at;
    let isInside = false;
    while (at < text.length) {
      if (take(QUOTED) ?? take(COMMENT) ?? take(INSTRUCTION)) continue;
      // Looking again for an end that there is not, at each of many, would take quadratic time.
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

/** Encodings that extend ASCII all read alike here. */
function textOf(head: Buffer): string {
  const encoding = utf16Of(head);
  return encoding ? new TextDecoder(encoding).decode(head) : head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
}

/** Which UTF-16 an XML document is in, by its byte order mark or its first `<`; undefined if it is not. */
export function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const first = head.subarray(0, 2).toString('latin1');
  if (first === '\xff\xfe' || first === '<\0') return 'utf-16le';
  return first === '\xfe\xff' || first === '\0<' ? 'utf-16be' : undefined;
}
