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
}

/** A request as the package puts it together. */
export interface PackageRequest {
  readonly url: string;
  readonly req: { readonly headers: Headers };
}

/** The package's client. */
export declare class OpenAI {
  constructor(options: PackageOptions);
  buildRequest(
    options: { readonly method: "get" | "post"; readonly path: string; readonly body?: object },
  ): Promise<PackageRequest>;
}
