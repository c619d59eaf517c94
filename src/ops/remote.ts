// `ctx remote`: short names for addresses. They belong to the user: a store from another person cannot define
// one.
import { canonicalBytes } from "../base/json/canonical.js";
import { CtxError } from "../base/errors.js";
import type { Remote, RemoteResult } from "../results/share.js";
import { parseAddress, repositoryText } from "../registry/address.js";
import { isRemoteName, readRemotes, remotesPath, unknownRemote } from "../registry/remotes.js";
import type { UserPaths } from "../store/config.js";
import { withStateLock } from "../store/state-lock.js";
import { readText, writeText } from "../hooks/settings-file.js";

/** Lists all remotes. */
export function listRemotes(user: UserPaths): RemoteResult {
  return { remotes: readRemotes(user) };
}

export function addRemote(user: UserPaths, { name, url, plain_http }: Remote): RemoteResult {
  if (!isRemoteName(name))
    throw new CtxError("bad-name", `"${name}" is not a valid name for a remote`, {
      hint: "use letters, digits, dots, dashes and underscores",
    });
  const address = parseAddress(url);
  if (address.tag !== undefined || address.digest !== undefined)
    throw new CtxError("bad-name", "the address of a remote cannot have a tag or a hash", {
      hint: repositoryText(address),
    });
  const added: Remote = {
    name,
    url: repositoryText(address),
    ...(plain_http === true ? { plain_http } : {}),
  };
  return change(user, (remotes) => {
    if (remotes.some((remote) => remote.name === name))
      throw new CtxError("exists", `the remote "${name}" already exists`, { hint: `ctx remote rm ${name}` });
    return [...remotes, added];
  });
}

export function removeRemote(user: UserPaths, name: string): RemoteResult {
  return change(user, (remotes) => {
    if (!remotes.some((remote) => remote.name === name)) throw unknownRemote(name, remotes);
    return remotes.filter((remote) => remote.name !== name);
  });
}

/** Edits the remotes under a lock, so that neither of two remotes added at once is lost. */
function change(user: UserPaths, edit: (remotes: Remote[]) => Remote[]): RemoteResult {
  // An edit that is refused creates nothing, not even the lock's folder.
  edit(readRemotes(user));
  const edited = (): RemoteResult => {
    const before = readText(remotesPath(user));
    return write(user, edit(readRemotes(user)), before);
  };
  return withStateLock(user.state, "note-remotes", edited, { timeout: 2_000 });
}

/** Writes the remotes. `before` is the text of the file when they were read. */
function write(user: UserPaths, remotes: Remote[], before: string | undefined): RemoteResult {
  const path = remotesPath(user);
  const content = Object.fromEntries(remotes.map(({ name, ...remote }) => [name, remote]));
  writeText(path, `${canonicalBytes(content).toString()}\n`, { before });
  return { remotes: remotes.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}
