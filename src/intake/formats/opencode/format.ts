// Sessions of opencode: the document that `opencode export` prints, or the folder in which versions before 1.2
// kept a session, with a file for each message and each of its parts.
import { CtxError } from "../../../base/errors.js";
import type { ExecutionLog } from "../../../model/log.js";
import { documentOf } from "../../document.js";
import type { Fit, Format, Into } from "../../format.js";
import { type Head, partialJson } from "../../head.js";
import { type LogSource, sourceOf, startOf, wholeOf } from "../../log-source.js";
import { SessionFamily } from "./family.js";
import { exportedSession, isExport, isSessionInfo, messagesFolder, storedSession } from "./session.js";

export const opencode: Format = {
  name: "opencode",
  title: "opencode session, exported or stored as JSON",
  from: "opencode export <session>, or ~/.local/share/opencode/storage/session/<project>/<session>.json",
  sniff,
  read,
};

const infoAlone =
  "it describes a session, without its messages: they are in the folder message/ of opencode's storage";

/** What `opencode export` prints first where its errors go to the same file. */
const progress = /^Exporting session: [^\n]{0,200}\n/;

function sniff({ document, text }: Head, path?: string): Fit {
  const found = progress.test(text) ? partialJson(text.replace(progress, "")) : document;
  if (isExport(found)) return true;
  if (isSessionInfo(found))
    return messagesFolder(path, found) === undefined ? { near: 0.99, missing: infoAlone } : true;
  return { near: 0, missing: "it has no `info` of a session (ses_…) with its messages" };
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const document = documentOf(withoutProgress(source), coverage, (value) => isExport(value));
  const family = new SessionFamily(source.path, into);
  if (isExport(document)) return [family.read(exportedSession(document, coverage))];
  if (!isSessionInfo(document))
    throw new CtxError("log-unreadable", `${source.name} contains no session of opencode`);
  const session = storedSession(source.path, document, coverage);
  if (session !== undefined) return [family.read(session)];
  throw new CtxError("log-unreadable", `${source.name} contains no run: ${infoAlone}`, {
    hint: "pack the output of `opencode export <session>`",
  });
}

function withoutProgress(source: LogSource): LogSource {
  const line = progress.exec(startOf(source))?.[0];
  if (line === undefined) return source;
  const bytes = wholeOf(source);
  return sourceOf([bytes.subarray(bytes.indexOf("\n") + 1)], { name: source.name });
}
