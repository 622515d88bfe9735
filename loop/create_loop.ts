/** Makes a loop out of its parts. */
import type { Loop, LoopConfig, ResumeRequest, RunRequest } from "../contracts/loop.ts";
import { executeRun } from "./run.ts";
import { streamRun } from "./stream.ts";
import { checkConfig, checkRequest, checkResume } from "./validate.ts";

/**
 * Creates a loop. It holds no state between runs, and disposes none of the parts it is given.
 *
 * @throws {TypeError} when a required part (`llm`, `sessions`, `steps`, and for scripts `sandboxBuilder`) is missing or is not what it should be, or there is no such option.
 * @throws {RangeError} when a number is out of range.
 */
export function createLoop(config: LoopConfig): Loop {
  const parts = checkConfig(config);
  return {
    run: async (request: RunRequest) => {
      checkRequest(request, parts);
      return await executeRun({ parts, request }, request.onEvent);
    },
    resume: async ({ decision, callId, ...request }: ResumeRequest) => {
      checkResume({ decision, callId, ...request }, parts);
      const word = { decision, ...(callId === undefined ? {} : { callId }) };
      return await executeRun(
        { parts, request: { ...request, message: "" }, resume: word },
        request.onEvent,
      );
    },
    stream: (request: RunRequest) => {
      checkRequest(request, parts);
      return streamRun(request, (own, listener) => executeRun({ parts, request: own }, listener));
    },
  };
}
