/** The id of a started upload, stored until it ends, so that it survives closing the page. */
export interface UnfinishedUpload {
  id: () => string | undefined;
  begin: (id: string) => void;
  end: () => void;
}

/** @param place the upload's destination: it can be resumed only there */
export function unfinishedUpload({ name, size, lastModified }: File, place: string): UnfinishedUpload {
  const key = `upload:${[place, name, size, lastModified].join(':')}`;
  return {
    id: () => localStorage.getItem(key) ?? undefined,
    begin: (id) => localStorage.setItem(key, id),
    end: () => localStorage.removeItem(key),
  };
}
