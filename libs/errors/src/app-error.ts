/** One problem with a request: its place (`body._name`, `query.nsfilter`) and a message without the value. */
export interface ErrorDetail {
  location: string;
  message: string;
}

/** An entry of an error catalogue. */
export interface ErrorDefinition {
  /** 400 to 599. */
  status: number;
  /** Stable identifier in UPPER_SNAKE_CASE. */
  code: string;
  /** One sentence, without input values. */
  message: string;
  /** What the caller can do, in Markdown. Appears on the page of all errors, not in responses. */
  remedy: string;
}

export interface ErrorOptions {
  /** Replaces the catalogue's message. */
  message?: string;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The only error that callers see; any other becomes a 500 that does not reveal its cause. */
export class AppError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(definition: Omit<ErrorDefinition, 'remedy'>, options: ErrorOptions = {}) {
    super(options.message ?? definition.message, { cause: options.cause });
    this.name = 'AppError';
    this.status = definition.status;
    this.code = definition.code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export type ErrorFactory<O = ErrorOptions> = ((options?: O) => AppError) & DeclaredError;

/** What the API reference shows of an error. */
export interface DeclaredError {
  readonly definition: ErrorDefinition;
}

type Catalogue = Record<string, Omit<ErrorDefinition, 'code'> & { code?: string }>;

/** Turns a catalogue into factories: `throw errors.nameTaken()`. The code defaults to the name in UPPER_SNAKE_CASE. */
export function defineErrors<C extends Catalogue>(catalogue: C): { [K in keyof C]: ErrorFactory } {
  const entries = Object.entries(catalogue).map(([name, entry]) => {
    const definition = { code: upperSnakeCase(name), ...entry };
    return [name, errorFactory(definition, (options?: ErrorOptions) => options)];
  });
  return Object.fromEntries(entries) as { [K in keyof C]: ErrorFactory };
}

/** A factory with custom options. @param optionsOf converts them */
export const errorFactory = <O>(
  definition: ErrorDefinition,
  optionsOf: (options?: O) => ErrorOptions | undefined,
): ErrorFactory<O> => Object.assign((options?: O) => new AppError(definition, optionsOf(options)), { definition });

const upperSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
