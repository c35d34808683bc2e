import { downloadBlob } from '@dtplatform/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, useNamespace } from '../frame';

interface Content {
  id: string;
  versionId: string;
  isEnabled?: boolean;
  /** Reads only the first bytes. */
  firstBytes?: number;
}

const OPERATION = 'filesvc.fileVersions.content';

/** The content of a version, which never changes. */
export function useContent({ id, versionId, isEnabled = true, firstBytes }: Content) {
  const namespace = useNamespace()!;
  const headers = firstBytes === undefined ? undefined : { Range: `bytes=0-${firstBytes - 1}` };
  const path = { id, versionId };
  return useQuery({
    queryKey: [namespace, OPERATION, { path, headers }],
    async queryFn({ signal }) {
      const own = client.in(namespace);
      if (!headers) return downloadBlob(own, { id, versionId, signal });
      return (await own.open(own.url(OPERATION, { path }), { headers, signal })).blob();
    },
    enabled: isEnabled,
    staleTime: 'static',
    gcTime: 60_000,
  });
}

/** A URL for content in memory. The given type decides what a browser makes of it. */
export function useObjectUrl(content: Blob | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!content) return undefined;
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}

/** What a function makes of content; undefined until it is done. */
export function useDerived<T>(content: Blob | undefined, derive: (content: Blob) => Promise<T>): T | undefined {
  const [found, setFound] = useState<{ of: Blob; value: T }>();
  useEffect(() => {
    if (content) void derive(content).then((value) => setFound({ of: content, value }));
  }, [content, derive]);
  return found?.of === content ? found?.value : undefined;
}
export const textOf = (content: Blob) => content.text();
