// Uploads an artifact: the blobs that the registry does not have, one by one, and the manifest last. A blob
// that was cut off is sent again from the start: registries do not agree on how to resume one.
import * as fs from "node:fs";
import { sha256 } from "../base/digest.js";
import { CtxError, toIoError } from "../base/errors.js";
import { isIntact } from "../store/objects.js";
import { objectPath } from "../store/layout.js";
import {
  type Artifact,
  emptyConfig,
  emptyConfigHex,
  type Layer,
  mediaTypes,
  sendLayer,
  type TarMemory,
} from "../bundle/artifact.js";
import type { SizedBlob } from "../bundle/layers.js";
import { type RequestBody, dismiss } from "./http.js";
import type { Registry } from "./registry.js";
import { retrying, type Attempt } from "./retry.js";

export interface Upload extends SizedBlob {
  pieces: RequestBody["pieces"];
  /** Throws if the blob is damaged in the local store. */
  check(): void;
}

/** Returns the blobs of an artifact, without its manifest. */
export function uploadsOf(root: string, { layers }: Artifact, kept: TarMemory): Upload[] {
  const config: Upload = {
    hex: emptyConfigHex,
    size: emptyConfig.length,
    pieces: () => [emptyConfig],
    check: () => undefined,
  };
  return [config, ...layers.map((layer) => uploadOf(root, layer, kept))];
}

function uploadOf(root: string, layer: Layer, kept: TarMemory): Upload {
  const { hex, size } = layer;
  if (layer.tar === undefined)
    return {
      hex,
      size,
      pieces: () => filePieces(objectPath(root, hex), size),
      check() {
        if (isIntact(root, hex)) return;
        throw new CtxError("damaged", `blob ${hex} is damaged in the store`, {
          hint: "pack the run's log again to repair it, or restore the file from a copy",
        });
      },
    };
  return {
    hex,
    size,
    pieces() {
      const held: Buffer[] = [];
      sendLayer(root, layer, kept, (piece) => void held.push(piece));
      return held;
    },
    check: () => undefined,
  };
}

const pieceSize = 1 << 20;

/** Yields a file in pieces; the next is read while one is sent. */
async function* filePieces(path: string, size: number): AsyncGenerator<Buffer> {
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW;
  const file = await fs.promises.open(path, flags).catch((error: unknown) => {
    // A local failure, not one of the registry.
    throw toIoError(error, path, "open");
  });
  try {
    for (let at = 0; at < size; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceSize, size - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new CtxError("damaged", `${path} got shorter while ctx was sending it`);
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Uploads a blob unless the registry has it, and returns whether it was sent. */
export async function uploadBlob(
  registry: Registry,
  upload: Upload,
  sent: (bytes: number) => void,
): Promise<boolean> {
  const { hex, size } = upload;
  const head = await registry.request({ method: "HEAD", path: `blobs/sha256:${hex}`, expect: [200, 404] });
  head.resume();
  const length = head.headers["content-length"];
  if (head.statusCode === 200 && (length === undefined || Number(length) === size)) return false;
  let inThisTry = 0;
  const body: RequestBody = {
    size,
    pieces: () => {
      sent(-inThisTry);
      inThisTry = 0;
      return upload.pieces();
    },
    sent(bytes) {
      inThisTry += bytes;
      sent(bytes);
    },
  };
  // Each try starts a new upload: registries differ in what they do with one that was cut off.
  return await retrying(async (): Promise<Attempt<boolean>> => {
    const path = withDigest(await startUpload(registry), hex);
    try {
      const tried = await registry.attempt({
        method: "PUT",
        path,
        headers: bytesType,
        body,
        expect: [201, 204],
      });
      if (!("done" in tried)) return tried;
      dismiss(tried.done);
      return { done: true };
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== "registry") throw error;
      const status = error.data?.["status"];
      if (status === 400) upload.check();
      // The upload may be gone, for example after a restart of the registry.
      if (status === 404) return { again: error };
      throw error;
    }
  }, registry.retry);
}

const bytesType = { "content-type": "application/octet-stream" };

async function startUpload(registry: Registry): Promise<URL> {
  const started = await registry.request({ method: "POST", path: "blobs/uploads/", expect: [202] });
  dismiss(started);
  const { location } = started.headers;
  if (location === undefined) throw new CtxError("registry", `${registry.text} does not say where to upload`);
  return registry.resolveLocation(location, "blobs/uploads/");
}

/** Adds the digest to an upload URL, and keeps the query that the registry put into it. */
function withDigest(location: URL, hex: string): URL {
  const url = new URL(location);
  url.searchParams.set("digest", `sha256:${hex}`);
  return url;
}

/** Tags an artifact, once all its blobs have been uploaded. */
export async function putManifest(
  registry: Registry,
  { bytes, digest }: Artifact,
  tag: string,
): Promise<void> {
  const response = await registry.request({
    method: "PUT",
    path: `manifests/${tag}`,
    headers: { "content-type": mediaTypes.manifest },
    body: { size: bytes.length, pieces: () => [bytes] },
    expect: [201],
  });
  dismiss(response);
  const named = response.headers["docker-content-digest"];
  if (named !== undefined && named !== `sha256:${digest}`)
    throw new CtxError(
      "registry",
      `${registry.text} stored sha256:${sha256(bytes)} as ${String(named).slice(0, 100)}`,
    );
}
