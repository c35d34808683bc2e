/** One problem with a request: where (`body._name`, `query.nsfilter`) and what, without the value itself. */
export interface ErrorDetail {
  location: string;
  message: string;
}

/** A catalogue's entry for an error that callers may see. */
export interface ErrorDefinition {
  /** HTTP status, 400 to 599. */
  status: number;
  /** Stable name for programs, in UPPER_SNAKE_CASE. */
  code: string;
  /** One sentence for people, without input values. */
  message: string;
  /** What the caller does about it, in Markdown: for the page of all errors, not for responses. */
  remedy: string;
}

export interface ErrorOptions {
  /** Replaces the catalogue's sentence. */
  message?: string;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The only error that reaches callers; any other becomes a 500 that does not reveal its cause. */
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

/** Creates an error of the catalogue. */
export type ErrorFactory<O = ErrorOptions> = ((options?: O) => AppError) & DeclaredError;

/** What the reference says about an error. */
export interface DeclaredError {
  readonly definition: ErrorDefinition;
}

type Catalogue = Record<string, Omit<ErrorDefinition, 'code'> & { code?: string }>;

/** Turns a table of errors into factories: `throw errors.nameTaken()`. The code defaults to the name in UPPER_SNAKE_CASE. */
export function defineErrors<C extends Catalogue>(catalogue: C): { [K in keyof C]: ErrorFactory } {
  const entries = Object.entries(catalogue).map(([name, entry]) => {
    const definition = { code: upperSnakeCase(name), ...entry };
    return [name, errorFactory(definition, (options?: ErrorOptions) => options)];
  });
  return Object.fromEntries(entries) as { [K in keyof C]: ErrorFactory };
}

/** A factory with options of its own. @param optionsOf what they mean */
export const errorFactory = <O>(
  definition: ErrorDefinition,
  optionsOf: (options?: O) => ErrorOptions | undefined,
): ErrorFactory<O> => Object.assign((options?: O) => new AppError(definition, optionsOf(options)), { definition });

const upperSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
