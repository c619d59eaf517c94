// Reads an OCI manifest from an untrusted source. It must declare its own type, so that no header can make it
// something else; and its layers must be possible for a pack.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { JsonReader } from "../base/json/reader.js";
import { count, list, mapOf, object, optional, reference, required, text } from "../model/shape.js";
import { maxTitleBytes } from "../model/title.js";
import { annotations, emptyConfig, emptyConfigHex, mediaTypes } from "./artifact.js";
import { leastTar, type SizedBlob } from "./layers.js";

/** The most bytes of an OCI manifest: no registry accepts a larger one. */
export const maxOciManifest = 4 << 20;

/** How many characters of an unknown type a message quotes. */
const maxType = 100;

export interface DeclaredTar extends SizedBlob {
  prefix: string;
}

export interface DeclaredArtifact {
  /** The pack's manifest; its hash is the pack's. */
  pack: SizedBlob;
  tars: DeclaredTar[];
  blobs: SizedBlob[];
  /** What the annotations claim about the pack: to be shown, not to be relied on. */
  annotations: {
    created: string | undefined;
    model: string | undefined;
    steps: number | undefined;
    title: string | undefined;
  };
}

const open = { open: true };
const descriptor = {
  mediaType: required(text()),
  digest: required(reference),
  size: required(count),
  annotations: optional(mapOf(text())),
};

const shape = object(
  {
    schemaVersion: required(count),
    mediaType: required(text()),
    artifactType: optional(text()),
    config: optional(object(descriptor, open)),
    layers: optional(list(object(descriptor, open))),
    manifests: optional(list(object(descriptor, open))),
    annotations: optional(mapOf(text())),
  },
  open,
);

/** Reads an OCI manifest. Consumes `bytes`; messages call it `name`. */
export function readArtifact(bytes: Buffer, name: string): DeclaredArtifact {
  const seen = parse(bytes, name);
  const bad = (why: string): CtxError => notAPack(name, why);
  if (seen.mediaType === mediaTypes.index || seen.manifests !== undefined)
    throw bad("it is an index of several manifests");
  if (seen.mediaType !== mediaTypes.manifest || seen.schemaVersion !== 2)
    throw bad("it is not an OCI manifest");
  if (seen.artifactType !== mediaTypes.artifact)
    throw bad(`its type is ${seen.artifactType?.slice(0, maxType) ?? "that of an image"}`);
  const { config, layers = [] } = seen;
  if (
    config?.digest !== `sha256:${emptyConfigHex}` ||
    config.size !== emptyConfig.length ||
    config.mediaType !== mediaTypes.empty
  )
    throw bad("its config is not empty");
  const [first, ...others] = layers;
  if (first?.mediaType !== mediaTypes.pack) throw bad("its first layer is not a pack");
  const sizes = new Map<string, number>();
  for (const { digest, size, mediaType } of layers) {
    // A run may contain, as a blob, the very tar that its small blobs make: those are two layers.
    const key = `${mediaType === mediaTypes.tar ? "tar" : "blob"} ${digest}`;
    if (sizes.has(key) || (sizes.get(digest) ?? size) !== size) throw bad(`it contains ${digest} twice`);
    sizes.set(key, size).set(digest, size);
  }
  const tars: DeclaredTar[] = [];
  const blobs: SizedBlob[] = [];
  for (const layer of others) {
    const sized = { hex: hexOf(layer.digest), size: layer.size };
    if (layer.mediaType === mediaTypes.blob) blobs.push(sized);
    else if (layer.mediaType === mediaTypes.tar) {
      const prefix = layer.annotations?.[annotations.prefix];
      if (prefix === undefined || !/^[0-9a-f]{0,64}$/.test(prefix))
        throw bad("a tar layer does not list its contents");
      if (sized.size < leastTar) throw bad("a tar layer is too small");
      tars.push({ ...sized, prefix });
    } else throw bad(`it has a layer of type ${layer.mediaType.slice(0, maxType)}`);
  }
  checkDisjoint(tars, bad);
  return {
    pack: { hex: hexOf(first.digest), size: first.size },
    tars,
    blobs,
    annotations: readAnnotations(seen.annotations),
  };
}

function parse(bytes: Buffer, name: string): NonNullable<ReturnType<typeof shape.read>> {
  try {
    const reader = new JsonReader(bytes);
    const seen = shape.read(reader);
    reader.end();
    if (seen === undefined || reader.problems.length > 0) throw notAPack(name, "it is not an OCI manifest");
    return seen;
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json")
      throw notAPack(name, "it is not an OCI manifest");
    throw error;
  }
}

/** Throws unless each blob can be in one tar only. */
function checkDisjoint(tars: readonly DeclaredTar[], bad: (why: string) => CtxError): void {
  const prefixes = tars.map(({ prefix }) => prefix).sort();
  for (let at = 1; at < prefixes.length; at++)
    if ((prefixes[at] as string).startsWith(prefixes[at - 1] as string))
      throw bad("two of its tar layers contain the same blobs");
}

function readAnnotations(found: Record<string, string> | undefined): DeclaredArtifact["annotations"] {
  const steps = found?.[annotations.steps];
  return {
    created: found?.[annotations.created]?.slice(0, 100),
    model: found?.[annotations.model]?.slice(0, 200),
    title: found?.[annotations.title]?.slice(0, maxTitleBytes),
    steps: steps !== undefined && /^\d{1,9}$/.test(steps) ? Number(steps) : undefined,
  };
}

export function notAPack(name: string, why: string): CtxError {
  return new CtxError("bundle-invalid", `${name} is not a ctx pack: ${why}`);
}
