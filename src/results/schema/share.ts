// The schemas of what is printed about packs that leave, arrive, or lie in a registry.
import { onlyTrue, result } from "./shape.js";
import {
  boolean,
  count,
  list,
  oneOf,
  optional,
  reference,
  required,
  text,
  utcTime,
} from "../../model/shape.js";
import type {
  AbsentPack,
  ArrivedPack,
  ExportResult,
  ImportResult,
  LeavingPack,
  LsResult,
  Personal,
  PullResult,
  PushResult,
  Remote,
  RemotePack,
  RemoteResult,
  Traffic,
} from "../share.js";

const leavingFields = {
  hash: required(reference),
  why: required(oneOf("asked", "parent", "subagent")),
  created: required(utcTime),
  model: required(text()),
  steps: required(count),
  prompts: required(count),
  files: required(list(text())),
  bytes: required(count),
  unsearched: optional(count),
};

const absent = list(
  result<AbsentPack>({
    hash: required(reference),
    why: required(oneOf("parent", "subagent")),
    of: required(reference),
  }),
);

const personal = result<Personal>({
  homes: required(
    list(result<Personal["homes"][number]>({ path: required(text()), places: required(count) })),
  ),
  users: required(list(text())),
  folders: required(list(text())),
  branches: required(list(text())),
  more: required(count),
});

const traffic = result<Traffic>({ blobs: required(count), bytes: required(count) });

export const exportResult = result<ExportResult>({
  file: required(text()),
  bytes: required(count),
  packs: required(list(result<LeavingPack>(leavingFields))),
  absent: required(absent),
  personal: optional(personal),
  dry_run: optional(onlyTrue),
});

const arrived = result<ArrivedPack>({
  hash: required(reference),
  uri: required(text()),
  new: required(boolean),
  created: required(utcTime),
  model: required(text()),
  steps: required(count),
  bytes_new: required(count),
  bytes_shared: required(count),
  repaired: optional(list(reference)),
});

const importFields = {
  from: required(text()),
  packs: required(list(arrived)),
  absent: required(absent),
  notices: required(list(text())),
};

export const importResult = result<ImportResult>(importFields);

export const pushResult = result<PushResult>({
  to: required(text()),
  packs: required(
    list(
      result<PushResult["packs"][number]>({
        ...leavingFields,
        digest: required(reference),
        tags: required(list(text())),
        new: required(boolean),
      }),
    ),
  ),
  absent: required(absent),
  sent: required(traffic),
  present: required(traffic),
  personal: optional(personal),
  dry_run: optional(onlyTrue),
});

export const pullResult = result<PullResult>({
  ...importFields,
  received: required(traffic),
  resumed: required(count),
});

export const lsResult = result<LsResult>({
  at: required(text()),
  packs: required(
    list(
      result<RemotePack>({
        hash: required(reference),
        digest: required(reference),
        tags: required(list(text())),
        bytes: required(count),
        created: optional(utcTime),
        model: optional(text()),
        steps: optional(count),
        here: optional(boolean),
      }),
    ),
  ),
  others: required(list(text())),
});

export const remoteResult = result<RemoteResult>({
  remotes: required(
    list(result<Remote>({ name: required(text()), url: required(text()), plain_http: optional(onlyTrue) })),
  ),
});
