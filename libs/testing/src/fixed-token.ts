/** A token source with one token, with or without its scheme. */
export const fixedToken = (authorization: string) => {
  const token = authorization.replace(/^Bearer /, '');
  return { get: async () => token, discard: () => undefined };
};
