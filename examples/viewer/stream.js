/** Bytes before those of the file in a binary frame: the request id (4) and the offset (8). */
const HEADER_BYTES = 12;
const READS_AT_ONCE = 4;

/**
 * Reads the files of a file set. What was received stays in `files` when the connection is lost: a further call goes on there.
 * @param {{baseUrl: string, token: string, nsfilter: string, fileSetId: string}} source
 * @param {Map<string, {versionId?: string, size?: number, received: number, parts: Uint8Array[], isComplete: boolean, note: string}>} files
 * @param {() => void} onProgress
 * @returns {{socket: WebSocket, done: Promise<void>}} `done` rejects when the connection ends before all is read
 */
export function readFileSet({ baseUrl, token, nsfilter, fileSetId }, files, onProgress) {
  const url = `${baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/graphicssvc/api/v1/stream`;
  const socket = new WebSocket(url, ['dtplatform.v1', `bearer.${token}`]);
  socket.binaryType = 'arraybuffer';
  const reads = new Map();
  let waiting = [];
  let lastRequestId = 0;

  const done = new Promise((resolve, reject) => {
    const send = (message) => socket.send(JSON.stringify({ requestId: (lastRequestId += 1), ...message }));

    function readNext() {
      while (reads.size < READS_AT_ONCE && waiting.length > 0) {
        const fileId = waiting.shift();
        const { versionId, received } = files.get(fileId);
        send({ type: 'read', fileId, ...(received > 0 && { fileVersionId: versionId, offset: received }) });
        reads.set(lastRequestId, fileId);
      }
      if (reads.size === 0) resolve();
    }

    const replies = {
      opened({ files: states }) {
        for (const { _fileId, _status } of states) {
          const known = files.get(_fileId) ?? { received: 0, parts: [], isComplete: false };
          files.set(_fileId, { ...known, note: _status });
          if (!known.isComplete) waiting.push(_fileId);
        }
        readNext();
      },
      header({ requestId, fileVersionId, size }) {
        Object.assign(files.get(reads.get(requestId)), { versionId: fileVersionId, size });
      },
      end({ requestId }) {
        files.get(reads.get(requestId)).isComplete = true;
        reads.delete(requestId);
        readNext();
      },
      error({ requestId, message }) {
        if (!reads.has(requestId)) return reject(new Error(message));
        files.get(reads.get(requestId)).note = message;
        reads.delete(requestId);
        readNext();
      },
    };

    socket.onopen = () => send({ type: 'open', fileSetId, nsfilter });
    socket.onclose = ({ code, reason }) => reject(new Error(reason || `The connection was closed (${code}).`));
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') {
        const message = JSON.parse(data);
        replies[message.type]?.(message);
      } else {
        const file = files.get(reads.get(new DataView(data).getUint32(0)));
        file.parts.push(new Uint8Array(data, HEADER_BYTES));
        file.received += data.byteLength - HEADER_BYTES;
      }
      onProgress();
    };
  });
  return { socket, done };
}
