/**
 * The few declarations of the npm package openai that this folder relies on. In their place the package's own would be loaded by everyone
 * who checks types: seconds of work, and warnings about types of optional packages that are not installed.
 */

/** What the caller adds to a request. */
export interface RequestOptions {
  readonly signal: AbortSignal;
}

/** What the package's resources send their requests through. */
export interface ResourceTransport {
  post(path: string, request: RequestOptions & { readonly body: object }): Promise<Response>;
  getAPIList(path: string, page: unknown, request: RequestOptions): Promise<Response>;
}

/** `openai/resources/chat/completions`. */
export declare class Completions {
  constructor(transport: ResourceTransport);
  create(body: object, options: RequestOptions): Promise<Response>;
}

/** `openai/resources/models`. */
export declare class Models {
  constructor(transport: ResourceTransport);
  list(options: RequestOptions): Promise<Response>;
}
