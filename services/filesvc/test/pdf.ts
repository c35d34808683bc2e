/** A PDF of one page with a red square in its upper left quarter. @param trailer more entries of the trailer */
export function pdfOf({ width = 600, height = 300, trailer = '', objects = [] as string[] } = {}): Buffer {
  const drawing = `1 0 0 rg 0 ${height / 2} ${width / 2} ${height / 2} re f`;
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R >>`,
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    ...objects,
  ];
  let text = '%PDF-1.4\n';
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${entries}`;
  const end = `trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, 'latin1');
}

/** Needs a password that nobody knows. */
export function encryptedPdf(): Buffer {
  const key = '00'.repeat(32);
  return pdfOf({
    objects: [`<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`],
    trailer: `/Encrypt 5 0 R /ID [<${'11'.repeat(16)}> <${'11'.repeat(16)}>]`,
  });
}
