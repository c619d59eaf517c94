// A pack as an OCI artifact: every byte is pinned, because registries and other people's files have them.
import { describe, expect, it } from "vitest";
import { artifactOf, TarMemory } from "../../../src/bundle/artifact.js";
import { readArtifact } from "../../../src/bundle/read-artifact.js";
import type { Store } from "../../../src/store/store.js";
import { blobTar, type Entry, exported, hashOf, packed, tar, Unpacked, untar } from "../../../dev/bundles.js";
import { tempStore } from "../../../dev/folders.js";
import { type AnyLog, runLog, smallLog } from "../../../dev/logs.js";

const large = "large ".repeat(12_000);
const fixed = runLog({
  inputs: [
    { name: "notes.txt", content: "one\ntwo\n" },
    { name: "large.txt", content: large },
  ],
});
const contents = ["You are terse.", "Count the lines of notes.txt.", "one\ntwo\n", "Two lines.", "2\n"];

function made(store: Store, hex: string): ReturnType<typeof artifactOf> {
  return artifactOf(store.root, hex, new TarMemory());
}

function layers(log: AnyLog, store = tempStore()): string[] {
  return made(store, packed(store, log)).layers.map(({ hex }) => hex);
}

function blob(content: Buffer | string): Entry {
  return { name: `blobs/sha256/${hashOf(content)}`, bytes: Buffer.from(content as string) };
}

describe("the artifact of a pack", () => {
  const pack = "72de693c8eb4f0ce397abb0b0935e7acdadce154a7b4f234b93b6f06fc90be7d";
  it("the artifact of a pack has exactly these bytes", () => {
    const store = tempStore();
    const hex = packed(store, fixed);
    expect(hex).toBe(pack);
    const small = blobTar(contents);
    const manifest =
      untar(exported(store, [hex])).find(({ name }) => name.endsWith(hex))?.bytes ?? Buffer.alloc(0);
    expect(hashOf(manifest)).toBe(hex);
    const expected = [
      `{"annotations":{"dev.contextsubstrate.model":"test-model","dev.contextsubstrate.steps":"2",`,
      `"org.opencontainers.image.created":"2026-02-10T12:00:00Z"},`,
      `"artifactType":"application/vnd.contextsubstrate.pack.v1",`,
      `"config":{"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",`,
      `"mediaType":"application/vnd.oci.empty.v1+json","size":2},`,
      `"layers":[`,
      `{"digest":"sha256:${hex}","mediaType":"application/vnd.contextsubstrate.manifest.v1+json","size":${manifest.length}},`,
      `{"annotations":{"dev.contextsubstrate.prefix":""},"digest":"sha256:${hashOf(small)}",`,
      `"mediaType":"application/vnd.contextsubstrate.blobs.v1.tar","size":${small.length}},`,
      `{"digest":"sha256:${hashOf(large)}","mediaType":"application/vnd.contextsubstrate.blob.v1","size":72000}],`,
      `"mediaType":"application/vnd.oci.image.manifest.v1+json","schemaVersion":2}`,
    ].join("");
    const { bytes, digest } = made(store, hex);
    expect(bytes.toString()).toBe(expected);
    expect(digest).toBe("3844c3d793ff2816e6c1b86cb1a91ca02cb0a33a053321c02e464812089bbbc5");
  });

  it("the artifact of a pack is exactly this file, with index and manifest first", () => {
    const store = tempStore();
    const hex = packed(store, fixed);
    const { bytes, digest } = made(store, hex);
    const file = exported(store, [hex]);
    const index = `{"manifests":[{"annotations":{"org.opencontainers.image.ref.name":"${hex}"},"artifactType":"application/vnd.contextsubstrate.pack.v1","digest":"sha256:${digest}","mediaType":"application/vnd.oci.image.manifest.v1+json","size":${bytes.length}}],"mediaType":"application/vnd.oci.image.index.v1+json","schemaVersion":2}`;
    const folder = { bytes: Buffer.alloc(0), header: { type: "5", mode: "0000755" } };
    const manifest = new Unpacked(file).blob(hex).bytes;
    const others = [blob(blobTar(contents)), blob(large)].sort((a, b) => (a.name < b.name ? -1 : 1));
    const expected = tar([
      { name: "oci-layout", bytes: Buffer.from(`{"imageLayoutVersion":"1.0.0"}`) },
      { name: "index.json", bytes: Buffer.from(index) },
      { name: "blobs/", ...folder },
      { name: "blobs/sha256/", ...folder },
      blob("{}"),
      blob(bytes),
      blob(manifest),
      ...others,
    ]);
    expect(file.equals(expected)).toBe(true);
    expect(hashOf(file)).toBe("360c9da502a7513869b636f2e4871186c1485a76d5678ab2b08239f41d3525bc");
  });

  it("the artifact of a pack is the same from every store, whatever else that holds", () => {
    const logs = [fixed, smallLog(), runLog({ created: "2026-02-11T12:00:00Z" })];
    const [one, other] = [tempStore(), tempStore()];
    const hexes = logs.map((log) => packed(one, log));
    for (const log of logs.toReversed()) packed(other, log);
    packed(other, smallLog({ system_prompt: "something else" }));
    expect(exported(one, hexes).equals(exported(other, hexes.toReversed()))).toBe(true);
    expect(exported(one, hexes.slice(0, 1)).equals(exported(other, hexes.slice(0, 1)))).toBe(true);
  });

  it("the artifact of a slightly different run shares most of its blobs", () => {
    const outputs = Array.from({ length: 900 }, (_, at) => ({
      type: "reasoning",
      output: `${at} ${"x".repeat(6000)}`,
    }));
    const log = smallLog({ steps: outputs, inputs: [{ name: "large.txt", content: large }] });
    const before = layers(log);
    // More than 4 MiB: a tar for each first digit.
    expect(before).toHaveLength(1 + 16 + 1);
    const steps = outputs.with(7, { type: "reasoning", output: "another thought" });
    const more = [
      { name: "large.txt", content: large },
      { name: "new.txt", content: large.toUpperCase() },
    ];
    const after = layers({ ...log, steps, inputs: more });
    const gone = hashOf(outputs[7]?.output ?? "")[0];
    const come = hashOf("another thought")[0];
    const fresh = after.filter((hex) => !before.includes(hex));
    // The manifest, a large blob, and the tars of the small one that went and the one that came.
    expect(fresh).toHaveLength(2 + new Set([gone, come]).size);
    expect(fresh).toContain(hashOf(large.toUpperCase()));
  });

  it("the artifact of a pack cuts a long model name between characters", () => {
    const store = tempStore();
    for (const identifier of [`${"m".repeat(199)}😀`, `${"m".repeat(198)}😀`, "m".repeat(300)]) {
      const { bytes } = made(store, packed(store, smallLog({ model: { identifier } })));
      const { annotations: said } = readArtifact(Buffer.from(bytes), "it");
      expect(said.model).toBe(
        identifier.startsWith("m".repeat(300))
          ? "m".repeat(200)
          : identifier.replace(/^m{199}😀/, "m".repeat(199)),
      );
    }
  });
});
