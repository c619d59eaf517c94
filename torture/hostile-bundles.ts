// Bundles that are correct except for one thing. Each has to be refused for exactly that reason: a bundle
// that only fails later was trusted until then.
import * as fs from "node:fs";
import { join } from "node:path";
import { type AnyDescriptor, type Entry, tar, Unpacked, untar } from "../dev/bundles.js";
import { smallLog } from "../dev/logs.js";
import { emptyStore, must, packArgs } from "../dev/scenes.js";
import { evil, evilName } from "./hostile-text.js";

export interface FlawedBundle {
  bytes: Buffer;
  /** How it is refused; without this it is accepted. */
  says?: RegExp;
}

/** A bundle with one pack, which has small blobs and a large one. */
async function sound(): Promise<Buffer> {
  const inputs = [
    { name: "large.txt", content: "large ".repeat(12_000) },
    { name: "small.txt", content: "small" },
  ];
  const folder = await emptyStore(smallLog({ inputs }));
  await must(folder, packArgs);
  await must(folder, ["export", "latest", "-o", "one.ctx"]);
  const bytes = fs.readFileSync(join(folder, "one.ctx"));
  fs.rmSync(folder, { recursive: true });
  return bytes;
}

export async function flawedBundles(): Promise<Record<string, FlawedBundle>> {
  const good = await sound();
  const flaw = (says: RegExp, change: (bundle: Unpacked) => void): FlawedBundle => {
    const bundle = new Unpacked(good);
    change(bundle);
    return { bytes: bundle.bytes(), says };
  };
  const first = (entry: Partial<Entry>): FlawedBundle["bytes"] =>
    tar([{ name: "blobs/sha256/x", bytes: Buffer.from("pwned"), ...entry }, ...untar(good)]);
  return {
    up: { bytes: first({ name: "../../outside/canary.txt" }), says: /it contains an unexpected file/ },
    root: { bytes: first({ name: "/outside/canary.txt" }), says: /it contains an unexpected file/ },
    evil: {
      bytes: first({ name: `blobs/${evilName}`.slice(0, 60) }),
      says: /it contains an unexpected file/,
    },
    hard: {
      bytes: first({ header: { type: "1", link: "../outside/secret.txt" } }),
      says: /neither a file nor/,
    },
    device: { bytes: first({ header: { type: "3" } }), says: /neither a file nor/ },
    size: { bytes: first({ header: { size: "77777777777\0" } }), says: /it contains an unexpected file/ },
    cut: { bytes: good.subarray(0, good.length / 2), says: /is cut off in the middle/ },
    link: flaw(/neither a file nor a folder/, (bundle) => {
      // No reader uses this text, so nothing else is wrong with this one.
      bundle.file("oci-layout").header = { type: "2", link: "../../../outside" };
    }),
    notes: {
      bytes: first({ bytes: Buffer.alloc(0), header: { type: "x", size: "77777777777\0" } }),
      says: /an extended header is too long/,
    },
    "entry-size": flaw(/too large/, (bundle) => {
      bundle.file("oci-layout").header = { size: "77777777777\0" };
    }),
    "manifest-size": flaw(/is too large/, (bundle) => {
      const { index } = bundle;
      const descriptor = index.manifests[0] as AnyDescriptor;
      descriptor.size = 5 << 20;
      bundle.blob(descriptor.digest).header = { size: `${(5 << 20).toString(8).padStart(11, "0")}\0` };
      bundle.index = index;
    }),
    "layer-size": flaw(/should have \d+ bytes/, (bundle) =>
      bundle.changeOci(({ layers }) => {
        (layers[0] as AnyDescriptor).size++;
      }),
    ),
    manifest: flaw(/has the hash/, (bundle) => bundle.blob(layerOf(bundle, "pack").digest).bytes.fill("x")),
    blob: flaw(/has the hash/, (bundle) => bundle.blob(layerOf(bundle, "blob").digest).bytes.fill("x")),
    content: flaw(/has the hash/, (bundle) => changeTar(bundle, ([entry]) => void entry?.bytes.fill("x"))),
    missing: flaw(/is missing from the bundle/, (bundle) =>
      changeTar(bundle, (entries) => void entries.pop()),
    ),
    extra: flaw(/does not refer to/, (bundle) =>
      changeTar(bundle, (entries) => {
        const bytes = Buffer.from("pwned");
        entries.push({ ...(entries[0] as Entry), name: "f".repeat(64), bytes });
      }),
    ),
    order: flaw(/are not in order/, (bundle) => changeTar(bundle, (entries) => void entries.reverse())),
    unneeded: flaw(/which no pack in it refers to/, (bundle) => void bundle.add(Buffer.from("pwned"))),
    twice: { bytes: tar([...untar(good), ...untar(good)]), says: /twice/ },
    annotated: annotated(good),
  };
}

/** The pack itself comes first. */
function layerOf(bundle: Unpacked, kind: "pack" | "blob" | "tar"): AnyDescriptor {
  const [pack, ...others] = bundle.oci().layers;
  const found =
    kind === "pack" ? pack : others.find(({ mediaType }) => mediaType.endsWith("tar") === (kind === "tar"));
  if (found === undefined) throw new Error(`there is no layer with a ${kind}`);
  return found;
}

/** Changes the content of a tar, and everything that refers to it. */
function changeTar(bundle: Unpacked, change: (entries: Entry[]) => void): void {
  const layer = bundle.oci().layers.findIndex(({ digest }) => digest === layerOf(bundle, "tar").digest);
  bundle.changeLayer(layer, (bytes) => {
    const entries = untar(bytes).map((entry) => ({ ...entry, header: { mode: "0000444" } }));
    change(entries);
    return tar(entries);
  });
}

/** Has more fields than necessary, and is accepted. */
function annotated(good: Buffer): FlawedBundle {
  const bundle = new Unpacked(good);
  bundle.changeOci((oci) => {
    oci["annotations"] = { "org.opencontainers.image.title": evil, [evil]: evil };
    for (const layer of oci.layers) layer.annotations = { ...layer.annotations, [evil]: evil };
  });
  return { bytes: bundle.bytes() };
}
