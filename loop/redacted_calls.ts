/** An audit log whose rows hold no secrets. */
import type { CallLog } from "../contracts/call_log.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import { redactJsonText } from "../redact/redact_json.ts";

/**
 * The log as the gate is given it: what it writes is redacted on the way, what the functions get is not. The redactor is asked for each time, since a call
 * may teach the run a secret.
 */
export function redactedCalls(
  calls: CallLog,
  secrets: { readonly redactor: TextRedactor | undefined },
): CallLog {
  const clean = (text: string) => secrets.redactor?.redact(text) ?? text;
  return {
    startCall: (call) => {
      const { redactor } = secrets;
      return calls.startCall({
        ...call,
        ...(call.target === undefined ? {} : { target: clean(call.target) }),
        argsJson: redactor === undefined ? call.argsJson : redactJsonText(call.argsJson, redactor),
      });
    },
    endCall: (id, ended) =>
      calls.endCall(id, {
        ...ended,
        ...(ended.error === undefined ? {} : { error: clean(ended.error) }),
      }),
    calls: (sessionId, options) => calls.calls(sessionId, options),
  };
}
