import type { Room } from './rooms.js';

/** A PDF of one page (PDF 1.4), with lines of ASCII text without parentheses. */
export function pdfOf(lines: readonly string[]): string {
  const text = lines.map((line, at) => `${at === 0 ? '/F 20 Tf' : '/F 12 Tf'} (${line}) Tj 0 -24 Td`).join('\n');
  const stream = `BT 72 760 Td\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = pdf.length;
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
}

/** A floor plan as SVG: two rows of rooms on both sides of a corridor. */
export function planOf(rooms: readonly Room[]): string {
  const cells = rooms.map(({ number, use, area }, at) => {
    const [x, y] = [20 + (at % 4) * 240, 20 + Math.floor(at / 4) * 330];
    const shape = `<rect x="${x}" y="${y}" width="240" height="230" fill="#f5f2ea" stroke="#333" stroke-width="6"/>`;
    const label = `<text x="${x + 20}" y="${y + 50}" font-size="30">${number} ${use}</text>`;
    return `${shape}${label}<text x="${x + 20}" y="${y + 90}" font-size="24">${area} m²</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 600" font-family="sans-serif">${cells.join('')}</svg>\n`;
}
