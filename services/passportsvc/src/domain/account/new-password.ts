/** Passwords that people choose themselves, or that are set for them. Length is what counts (NIST SP 800-63B, section 3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 1024;

/** Counts characters as people do: one outside of the basic plane is one. */
export const isLongEnough = (password: string): boolean => Array.from(password).length >= MIN_PASSWORD_LENGTH;

/** Why a password cannot be taken, for the person who has typed it twice; undefined when it can. */
export function passwordProblem(password: string, repeated: string): string | undefined {
  if (!isLongEnough(password)) return `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (password.length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  if (password !== repeated) return 'The two passwords are different. Please type them again.';
  return undefined;
}
