import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 960;
const HEIGHT = 640;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG image (W3C PNG, true colour, 8 bits) of a building's facade at dusk. Deterministic. */
export function facadeImage(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits, true colour, deflate, the standard filters, not interlaced
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(scanlines(), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each line begins with its filter type, here 0 for none. */
function scanlines(): Buffer {
  const lines = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  let at = 0;
  for (let y = 0; y < HEIGHT; y += 1) {
    at += 1;
    for (let x = 0; x < WIDTH; x += 1) {
      lines.set(colourAt(x, y), at);
      at += 3;
    }
  }
  return lines;
}

function colourAt(x: number, y: number): [red: number, green: number, blue: number] {
  const isWall = x > 240 && x < 738 && y > 120;
  if (!isWall) return [40 + Math.floor(y / 6), 60 + Math.floor(y / 8), 120 + Math.floor(y / 10)];
  const isWindow = (x - 240) % 60 > 18 && (y - 120) % 65 > 25;
  if (!isWindow) return [168, 160, 150];
  const isLit = (Math.floor((x - 240) / 60) * 7 + Math.floor((y - 120) / 65) * 3) % 5 < 2;
  return isLit ? [250, 214, 130] : [52, 62, 84];
}

/** Length, type, data and the CRC over type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'ascii'), data]);
  const frame = Buffer.alloc(8 + typed.length);
  frame.writeUInt32BE(data.length, 0);
  typed.copy(frame, 4);
  frame.writeUInt32BE(crc32(typed), 4 + typed.length);
  return frame;
}
