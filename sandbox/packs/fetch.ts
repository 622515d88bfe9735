/** The public name of the HTTP capabilities' module; what they do is in `http/`. */
export { fetchCapability, type FetchOptions, httpCapability } from "./http/capability.ts";
