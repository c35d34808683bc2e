/** The id of an upload that has begun, kept until it ends: also when the page is closed meanwhile. */
export interface UnfinishedUpload {
  id: () => string | undefined;
  begin: (id: string) => void;
  end: () => void;
}

/** @param place where the file goes to: an upload is continued only there */
export function unfinishedUpload({ name, size, lastModified }: File, place: string): UnfinishedUpload {
  const key = `upload:${[place, name, size, lastModified].join(':')}`;
  return {
    id: () => localStorage.getItem(key) ?? undefined,
    begin: (id) => localStorage.setItem(key, id),
    end: () => localStorage.removeItem(key),
  };
}
