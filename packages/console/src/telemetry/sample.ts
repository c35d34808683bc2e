/** A message to begin with. */
export const sampleOf = (deviceType: string): string =>
  JSON.stringify({ deviceType, device: 'sensor-1', at: new Date().toISOString(), celsius: 21.5 }, null, 2);

/** A script for it. */
export const FIRST_SCRIPT = `function normalize({ device, at, celsius }) {
  return [{ _ts: at, _tsMetadata: { _sourceId: device }, celsius }];
}
`;
