/**
 * The few declarations of the npm package openai that this folder relies on. In their place the package's own would be loaded by everyone
 * who checks types: seconds of work, and warnings about types of optional packages that are not installed.
 */

/** What is told to the package's client when it is made. */
export interface PackageOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly adminAPIKey: null;
  readonly organization: null;
  readonly project: null;
  readonly webhookSecret: null;
  readonly maxRetries: number;
  /** In ms. */
  readonly timeout: number;
  readonly logLevel: "off";
  /** `null` takes a header out. */
  readonly defaultHeaders: Readonly<Record<string, string | null>>;
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

/** A request under way. */
export interface PackageRequest {
  /** The reply as soon as its headers are there, its body unread; rejects for a status of 400 and above. */
  asResponse(): Promise<Response>;
}

/** The package's client. */
export declare class OpenAI {
  constructor(options: PackageOptions);
  get(path: string, options: { readonly signal: AbortSignal }): PackageRequest;
  post(
    path: string,
    options: { readonly signal: AbortSignal; readonly body: object },
  ): PackageRequest;
}
