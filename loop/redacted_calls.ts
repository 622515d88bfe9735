/** An audit log whose rows hold no secrets. */
import type { CallLog } from "../contracts/call_log.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import { redactJsonText } from "../redact/redact_json.ts";

/** The log as the gate is given it: what it writes is redacted on the way, what the functions get is not. */
export function redactedCalls(calls: CallLog, redactor: TextRedactor): CallLog {
  return {
    startCall: (call) =>
      calls.startCall({
        ...call,
        ...(call.target === undefined ? {} : { target: redactor.redact(call.target) }),
        argsJson: redactJsonText(call.argsJson, redactor),
      }),
    endCall: (id, ended) =>
      calls.endCall(id, {
        ...ended,
        ...(ended.error === undefined ? {} : { error: redactor.redact(ended.error) }),
      }),
    calls: (sessionId, options) => calls.calls(sessionId, options),
  };
}
