// OCI manifests from untrusted sources: which count as packs, and which do not.
import { describe, expect, it } from "vitest";
import { readArtifact } from "../../../src/bundle/read-artifact.js";
import type { AnyDescriptor, AnyOci } from "../../../dev/bundles.js";
import { json } from "../../../dev/logs.js";

const types = "application/vnd.contextsubstrate";
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const empty = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

function tarLayer(digit: string, prefix: string): AnyDescriptor {
  return {
    mediaType: `${types}.blobs.v1.tar`,
    digest: digest(digit),
    size: 2048,
    annotations: { "dev.contextsubstrate.prefix": prefix },
  };
}

function blobLayer(digit: string): AnyDescriptor {
  return { mediaType: `${types}.blob.v1`, digest: digest(digit), size: 70_000 };
}

function sound(): AnyOci {
  return {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    artifactType: `${types}.pack.v1`,
    config: { mediaType: "application/vnd.oci.empty.v1+json", digest: empty, size: 2 },
    layers: [
      { mediaType: `${types}.manifest.v1+json`, digest: digest("1"), size: 700 },
      tarLayer("2", "0"),
      tarLayer("3", "1"),
      blobLayer("4"),
    ],
    annotations: {
      "org.opencontainers.image.created": "2026-02-10T12:00:00Z",
      "dev.contextsubstrate.model": "m",
      "dev.contextsubstrate.steps": "17",
    },
  };
}

function read(oci: unknown): ReturnType<typeof readArtifact> {
  return readArtifact(Buffer.isBuffer(oci) ? oci : json(oci), "it");
}

function titleRead(title: string): string | undefined {
  return read({ ...sound(), annotations: { "org.opencontainers.image.title": title } }).annotations.title;
}

describe("reading the OCI manifest of a pack", () => {
  it("the OCI manifest of a pack lists its layers", () => {
    expect(read(sound())).toEqual({
      pack: { hex: "1".repeat(64), size: 700 },
      tars: [
        { hex: "2".repeat(64), size: 2048, prefix: "0" },
        { hex: "3".repeat(64), size: 2048, prefix: "1" },
      ],
      blobs: [{ hex: "4".repeat(64), size: 70_000 }],
      annotations: { created: "2026-02-10T12:00:00Z", model: "m", steps: 17 },
    });
  });

  it("an OCI manifest may have fields that others added", () => {
    const more = { ...sound(), subject: { mediaType: "x", digest: digest("9"), size: 1 } };
    more.layers[3] = { ...blobLayer("4"), urls: ["https://example.org/"], data: "eA==" };
    expect(read(more).blobs).toHaveLength(1);
  });

  it("an OCI manifest: a title that another program has added is read, and cut", () => {
    expect(titleRead("Fix the pager")).toBe("Fix the pager");
    expect(titleRead("x".repeat(5000))).toHaveLength(200);
  });

  it("an OCI manifest may have missing or nonsensical annotations", () => {
    const { annotations: _, ...silent } = sound();
    expect(read(silent).annotations).toEqual({ created: undefined, model: undefined, steps: undefined });
    const annotations = {
      "dev.contextsubstrate.steps": "1e9",
      "dev.contextsubstrate.model": "m".repeat(5000),
    };
    expect(read({ ...sound(), annotations }).annotations).toEqual({
      created: undefined,
      model: "m".repeat(200),
      steps: undefined,
    });
  });

  it("an OCI manifest may list one digest as a tar and as a blob", () => {
    const both = sound();
    both.layers = [...both.layers.slice(0, 2), { ...blobLayer("2"), size: 2048 }];
    expect(read(both).tars[0]?.hex).toBe(read(both).blobs[0]?.hex);
  });
});

function without(oci: AnyOci, field: string): object {
  return Object.fromEntries(Object.entries(oci).filter(([key]) => key !== field));
}

/** Each changes a sound one. */
const refused: Record<string, [change: (oci: AnyOci) => unknown, why: RegExp]> = {
  "an index": [(oci) => ({ ...oci, mediaType: "application/vnd.oci.image.index.v1+json" }), /an index/],
  "an index with manifests": [
    () => ({ schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] }),
    /an index/,
  ],
  "something that is both": [(oci) => ({ ...oci, manifests: [] }), /an index/],
  "manifests of null": [(oci) => ({ ...oci, manifests: null }), /not an OCI manifest/],
  "a Docker manifest": [
    (oci) => ({ ...oci, mediaType: "application/vnd.docker.distribution.manifest.v2+json" }),
    /not an OCI manifest/,
  ],
  "no type": [(oci) => without(oci, "mediaType"), /not an OCI manifest/],
  "the first schema": [(oci) => ({ ...oci, schemaVersion: 1 }), /not an OCI manifest/],
  "an image": [(oci) => without(oci, "artifactType"), /of an image/],
  "another artifact": [(oci) => ({ ...oci, artifactType: "application/x" }), /type is application\/x$/],
  "no config": [(oci) => without(oci, "config"), /config/],
  "another config": [(oci) => void (oci.config.digest = digest("5")), /config/],
  "another size of its config": [(oci) => void (oci.config.size = 3), /config/],
  "another type of config": [
    (oci) => void (oci.config.mediaType = "application/vnd.oci.image.config.v1+json"),
    /config/,
  ],
  "no layers": [(oci) => without(oci, "layers"), /first layer/],
  "an empty list of layers": [(oci) => void (oci.layers = []), /first layer/],
  "another first layer": [(oci) => void oci.layers.reverse(), /first layer/],
  "two packs": [
    (oci) => void oci.layers.push({ ...(oci.layers[0] as AnyDescriptor), digest: digest("5") }),
    /layer of type/,
  ],
  "an unknown layer": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), mediaType: "a/b" }),
    /layer of type a\/b$/,
  ],
  "a compressed tar": [
    (oci) => void oci.layers.push({ ...tarLayer("5", "2"), mediaType: `${types}.blobs.v1.tar+gzip` }),
    /layer of type/,
  ],
  "a blob twice": [(oci) => void oci.layers.push(blobLayer("4")), /twice/],
  "a tar twice": [(oci) => void oci.layers.push(tarLayer("2", "2")), /twice/],
  "its own pack as a blob": [(oci) => void oci.layers.push({ ...blobLayer("1"), size: 700 }), /twice/],
  "a blob twice, of two sizes": [(oci) => void oci.layers.push({ ...blobLayer("4"), size: 70_001 }), /twice/],
  "a tar and a blob of two sizes": [(oci) => void oci.layers.push(blobLayer("2")), /twice/],
  "the same prefix twice": [(oci) => void oci.layers.push(tarLayer("5", "1")), /same blobs/],
  "a prefix within another": [(oci) => void oci.layers.push(tarLayer("5", "1f")), /same blobs/],
  "all blobs and some": [(oci) => void oci.layers.push(tarLayer("5", "")), /same blobs/],
  "no prefix": [(oci) => void delete oci.layers[1]?.annotations, /does not list/],
  "a prefix that is none": [(oci) => void oci.layers.push(tarLayer("5", "x")), /does not list/],
  "a prefix in capitals": [(oci) => void oci.layers.push(tarLayer("5", "F")), /does not list/],
  "a prefix that is too long": [
    (oci) => void oci.layers.push(tarLayer("5", "f".repeat(65))),
    /does not list/,
  ],
  "a prefix with a line feed": [(oci) => void oci.layers.push(tarLayer("5", "f\n")), /does not list/],
  "a tar that can hold nothing": [
    (oci) => void oci.layers.push({ ...tarLayer("5", "2"), size: 1024 }),
    /too small/,
  ],
  "less than nothing": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), size: -1 }),
    /not an OCI manifest/,
  ],
  "half a byte": [(oci) => void oci.layers.push({ ...blobLayer("5"), size: 0.5 }), /not an OCI manifest/],
  "more than is exact": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), size: 2 ** 53 }),
    /not an OCI manifest/,
  ],
  "a size in words": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), size: "1" as unknown as number }),
    /not an OCI manifest/,
  ],
  "another hash": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), digest: `sha512:${"5".repeat(128)}` }),
    /not an OCI manifest/,
  ],
  "a hash in capitals": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), digest: digest("A") }),
    /not an OCI manifest/,
  ],
  "a hash that is a path": [
    (oci) => void oci.layers.push({ ...blobLayer("5"), digest: `sha256:${"../".repeat(21)}x` }),
    /not an OCI manifest/,
  ],
  "a list": [(oci) => [oci], /not an OCI manifest/],
  nothing: [() => null, /not an OCI manifest/],
};

describe("refusing an OCI manifest that is not of a pack", () => {
  it.each(Object.entries(refused))(
    "an OCI manifest is refused because it has or is %s",
    (_, [change, why]) => {
      const oci = sound();
      const changed = change(oci);
      const bytes = json(changed === undefined ? oci : changed);
      expect(() => read(bytes)).toThrow(
        expect.objectContaining({ code: "bundle-invalid", message: expect.stringMatching(why) }),
      );
    },
  );

  it.each([
    ["no JSON", Buffer.from("{")],
    ["no bytes", Buffer.alloc(0)],
    ["a tail", Buffer.concat([json(sound()), Buffer.from("{}")])],
    ["a key twice", Buffer.from(JSON.stringify(sound()).replace("{", '{"layers":[],'))],
    ["no UTF-8", Buffer.from(JSON.stringify(sound()).replace('"m"', '"\u00ff"'), "latin1")],
    [
      "a million brackets",
      Buffer.from(
        JSON.stringify(sound()).replace(
          '"m"',
          `"m"},"deep":${"[".repeat(1e6)}${"]".repeat(1e6)},"x":{"a":"b"`,
        ),
      ),
    ],
  ])("an OCI manifest is refused because its bytes are %s", (_, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ code: "bundle-invalid" }));
  });

  it("the refusal of an OCI manifest quotes only a little of it", () => {
    const long = { ...sound(), artifactType: "x".repeat(1e6) };
    expect(() => read(long)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }),
    );
  });
});
