import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, useNamespace, useText } from '../frame';
import { Failure, inRow } from '../ui';

interface DownloadProps {
  id: string;
  /** A version; the tip by default. */
  versionId?: string;
  /** What the row of a button in a table is about. */
  row?: string;
}

/** Downloads a file from its temporary URL, which leaves the work to the browser. */
export function DownloadButton({ id, versionId, row }: DownloadProps) {
  const { text } = useText();
  const own = client.in(useNamespace()!);
  const download = useMutation({
    async mutationFn() {
      const { _url, _name } =
        versionId === undefined
          ? await own.call('filesvc.content.url', { path: { id } })
          : await own.call('filesvc.fileVersions.url', { path: { id, versionId } });
      if (!/^https?:/.test(_url)) throw new Error(text('files.badUrl'));
      // The store sends it as an attachment, so that the page stays.
      Object.assign(document.createElement('a'), { href: _url, download: _name, rel: 'noopener' }).click();
    },
  });
  return (
    <>
      <Button
        variant="default"
        {...(row !== undefined && inRow(text('files.download'), row))}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        {text('files.download')}
      </Button>
      {download.error && <Failure error={download.error} />}
    </>
  );
}
