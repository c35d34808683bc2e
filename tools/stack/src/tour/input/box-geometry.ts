/** The eight corners of a box of 32 × 3 × 30 m, and the twelve triangles between them. */
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1 ? 32 : 0, bits & 2 ? 3 : 0, bits & 4 ? 30 : 0]);
const STOREY_HEIGHT = 3.4;
const SIDES = [
  ...[0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6],
  ...[0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7],
  ...[0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
];

/** The outline of one or more storeys for a viewer, as binary glTF 2.0. */
export function boxGeometry(storeys = 1): Buffer {
  const positions = Buffer.from(new Float32Array(CORNERS.flat()).buffer);
  const indices = Buffer.from(new Uint16Array(SIDES).buffer);
  const levels = Array.from({ length: storeys }, (_, level) => level);
  const binary = Buffer.concat([positions, indices]);
  const description = {
    asset: { version: '2.0', generator: 'dtplatform' },
    scene: 0,
    scenes: [{ nodes: levels }],
    nodes: levels.map((level) => ({ name: `storey ${level}`, mesh: 0, translation: [0, level * STOREY_HEIGHT, 0] })),
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: CORNERS.length, type: 'VEC3', min: CORNERS[0], max: CORNERS[7] },
      { bufferView: 1, componentType: 5123, count: SIDES.length, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: positions.length, target: 34962 },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length, target: 34963 },
    ],
    buffers: [{ byteLength: binary.length }],
  };
  const chunks = [chunk('JSON', Buffer.from(JSON.stringify(description)), ' '), chunk('BIN\0', binary, '\0')];
  const length = 12 + chunks.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from('glTF'), uint32(2), uint32(length), ...chunks]);
}

/** Length, type and the data, padded to a multiple of 4 bytes. */
function chunk(type: string, data: Buffer, filler: string): Buffer {
  const filled = Buffer.concat([data, Buffer.from(filler.repeat((4 - (data.length % 4)) % 4))]);
  return Buffer.concat([uint32(filled.length), Buffer.from(type), filled]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
