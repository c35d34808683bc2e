import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { boxGeometry } from '../../src/tour/input/box-geometry.js';
import { buildingModel } from '../../src/tour/input/building-model.js';
import { facadeImage } from '../../src/tour/input/facade-image.js';

describe('the building model', () => {
  const text = buildingModel(300_000).toString('ascii');
  const entities = [...text.matchAll(/^(#\d+)=([A-Z0-9]+)\((.*)\);$/gm)];

  it('is a STEP file of the IFC4 schema, at least as long as requested, whose references lead to its entities', () => {
    expect(text).toMatch(/^ISO-10303-21;\nHEADER;\n[^]*FILE_SCHEMA\(\('IFC4'\)\);\nENDSEC;\nDATA;\n/);
    expect(text).toMatch(/\nENDSEC;\nEND-ISO-10303-21;\n$/);
    expect(text.length).toBeGreaterThanOrEqual(300_000);
    expect(/\nDATA;\n([^]*)\nENDSEC;/.exec(text)![1]!.split('\n')).toHaveLength(entities.length);
    const ids = new Set(entities.map(([, id]) => id));
    expect(ids.size).toBe(entities.length);
    const references = [...text.matchAll(/[(,](#\d+)/g)].map(([, id]) => id);
    expect(references.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has a project, a site, storeys, walls, slabs and columns, each with an identity that stays the same', () => {
    const count = (name: string) => entities.filter(([, , entity]) => entity === name).length;
    expect([count('IFCPROJECT'), count('IFCSITE')]).toEqual([1, 1]);
    expect(count('IFCBUILDINGSTOREY')).toBeGreaterThanOrEqual(2);
    expect(count('IFCSLAB')).toBe(count('IFCBUILDINGSTOREY'));
    expect(count('IFCWALL')).toBeGreaterThan(count('IFCCOLUMN'));
    const guids = [...text.matchAll(/^#\d+=IFC\w+\('([0-3][0-9A-Za-z_$]{21})',\$,/gm)].map(([, guid]) => guid);
    expect(guids.length).toBeGreaterThan(count('IFCWALL') * 3);
    expect(new Set(guids).size).toBe(guids.length);
    expect(buildingModel(300_000).toString('ascii')).toBe(text);
    expect(buildingModel(1).toString('ascii')).toContain('IFCWALL');
  });
});

it('creates an image that is a valid PNG', () => {
  const png = facadeImage();
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks: Record<string, Buffer> = {};
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const typed = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(typed));
    chunks[typed.subarray(0, 4).toString()] = typed.subarray(4);
    at += 12 + length;
  }
  expect(Object.keys(chunks)).toEqual(['IHDR', 'IDAT', 'IEND']);
  const [width, height] = [chunks.IHDR!.readUInt32BE(0), chunks.IHDR!.readUInt32BE(4)];
  expect(inflateSync(chunks.IDAT!)).toHaveLength(height * (1 + width * 3));
});

it('creates geometry that is valid binary glTF', () => {
  const glb = boxGeometry();
  expect(glb.subarray(0, 4).toString()).toBe('glTF');
  expect(glb.readUInt32LE(8)).toBe(glb.length);
  const jsonLength = glb.readUInt32LE(12);
  const json = JSON.parse(glb.subarray(20, 20 + jsonLength).toString());
  const binaryLength = glb.readUInt32LE(20 + jsonLength);
  expect(20 + jsonLength + 8 + binaryLength).toBe(glb.length);
  expect(json.buffers[0].byteLength).toBe(binaryLength);
  expect(json.accessors[1].count % 3).toBe(0);
});
