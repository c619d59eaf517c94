// Writes packs as one file: an OCI image layout in a tar, with the same bytes wherever it is made. Index and
// manifests come first, so that a reader can add the rest as it arrives.
import { canonicalBytes } from "../base/json/canonical.js";
import { toReference } from "../base/digest.js";
import {
  annotations,
  type Artifact,
  emptyConfig,
  emptyConfigHex,
  type Layer,
  mediaTypes,
  sendLayer,
  type TarMemory,
} from "./artifact.js";
import { entrySize, paddingOf, tarEnd, tarHeader } from "./tar.js";

interface LayoutEntry {
  name: string;
  size: number;
  send: (take: (piece: Buffer) => void) => void;
}

/** Passes the file to the caller in pieces, each valid until the next. */
export function sendLayout(
  root: string,
  artifacts: readonly Artifact[],
  { kept, take }: { kept: TarMemory; take: (piece: Buffer) => void },
): void {
  const files = layoutEntries(root, artifacts, kept);
  for (const { name, size, send } of files.slice(0, 2)) sendEntry(name, size, send, take);
  // Without these entries, programs that unpack the file as any user but root fail.
  for (const name of ["blobs/", "blobs/sha256/"])
    take(tarHeader({ name, size: 0, mode: 0o755, isFolder: true }));
  for (const { name, size, send } of files.slice(2)) sendEntry(name, size, send, take);
  take(tarEnd);
}

/** Returns the size of the file in bytes. */
export function layoutSize(root: string, artifacts: readonly Artifact[], kept: TarMemory): number {
  const files = layoutEntries(root, artifacts, kept);
  return files.reduce((sum, { size }) => sum + entrySize(size), 2 * entrySize(0) + tarEnd.length);
}

function sendEntry(
  name: string,
  size: number,
  send: LayoutEntry["send"],
  take: (piece: Buffer) => void,
): void {
  take(tarHeader({ name, size, mode: 0o644 }));
  send(take);
  if (paddingOf(size) > 0) take(Buffer.alloc(paddingOf(size)));
}

function layoutEntries(root: string, unsorted: readonly Artifact[], kept: TarMemory): LayoutEntry[] {
  const artifacts = [...unsorted].sort((a, b) => (a.hex < b.hex ? -1 : 1));
  const layer = (of: Layer): LayoutEntry => ({
    name: blob(of.hex),
    size: of.size,
    send: (take) => sendLayer(root, of, kept, take),
  });
  const packs = artifacts.map(({ layers }) => layers[0] as Layer);
  const others = new Map(artifacts.flatMap(({ layers }) => layers.slice(1)).map((of) => [of.hex, of]));
  // A run may contain the manifest of another one, of either kind, as a blob: the file has it once.
  for (const { hex, digest } of artifacts) for (const there of [hex, digest]) others.delete(there);
  return [
    whole("oci-layout", canonicalBytes({ imageLayoutVersion: "1.0.0" })),
    whole("index.json", canonicalBytes(indexOf(artifacts))),
    whole(blob(emptyConfigHex), emptyConfig),
    ...artifacts.map(({ digest, bytes }) => whole(blob(digest), bytes)),
    ...packs.map(layer),
    ...[...others.values()].sort((a, b) => (a.hex < b.hex ? -1 : 1)).map(layer),
  ];
}

function whole(name: string, bytes: Buffer): LayoutEntry {
  return { name, size: bytes.length, send: (take) => take(bytes) };
}

function blob(hex: string): string {
  return `blobs/sha256/${hex}`;
}

function indexOf(artifacts: readonly Artifact[]): object {
  return {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: artifacts.map(({ hex, digest, bytes }) => ({
      mediaType: mediaTypes.manifest,
      artifactType: mediaTypes.artifact,
      digest: toReference(digest),
      size: bytes.length,
      annotations: { [annotations.refName]: hex },
    })),
  };
}
