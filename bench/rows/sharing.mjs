// Rows for `ctx push` and `ctx pull`: over loopback, against skopeo with the same artifact.
import { randomFillSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeParts } from "../logs.mjs";
import { missingPrograms, skopeoCopy, startRegistry } from "../registry.mjs";
import { run } from "../work.mjs";

/** @typedef {import("../work.mjs").Command} Command */
/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */

/**
 * @typedef {object} Shared a pack and what skopeo needs of it
 * @property {string} store the folder whose store holds it
 * @property {string} hex its hash
 * @property {string} layout the artifact as a folder that skopeo reads
 * @property {string} filled what a registry has in its folder that holds it
 * @property {string[]} tars the hashes of its layers that are tars
 */

/** A pack in a store, in a layout and in a registry. Made once. @param {Work} work @param {string} key @param {(store: string) => string} writeLog returns the log's path */
function shared(work, key, writeLog) {
  const known = made.get(key);
  if (known !== undefined) return known;
  const store = work.store();
  run(work.ctx(store, "pack", writeLog(store), "--redact", "off"));
  const [hex] = /** @type {[string]} */ (readdirSync(join(store, ".ctx", "packs")));
  run(work.ctx(store, "export", "latest", "-o", "bundle.tar", "--allow-secrets"));
  // A folder, because skopeo would unpack the file first.
  const layout = join(store, "layout");
  mkdirSync(layout);
  run(work.shell(store, "tar -x -f bundle.tar -C layout && rm bundle.tar"));
  const filled = work.fresh();
  const registry = startRegistry(filled, work.fresh());
  try {
    run(skopeoCopy(work, `oci:${layout}:${hex}`, `docker://${registry.host}/bench/runs:good`));
  } finally {
    registry.stop();
  }
  const shared = { store, hex, layout, filled, tars: tarsOf(layout) };
  made.set(key, shared);
  return shared;
}

/** @type {Map<string, Shared>} */
const made = new Map();

/** @param {string} layout */
function tarsOf(layout) {
  const parse = (/** @type {string} */ path) => JSON.parse(readFileSync(join(layout, path), "utf8"));
  const [{ digest }] = parse("index.json").manifests;
  /** @type {{ mediaType: string, digest: string }[]} */
  const layers = parse(pathOf(digest)).layers;
  return layers.filter(({ mediaType }) => mediaType.endsWith(".tar")).map((layer) => pathOf(layer.digest));
}

/** @param {string} digest */
function pathOf(digest) {
  return `blobs/${digest.replace(":", "/")}`;
}

/** Random bytes beside a log that names them. @param {number} count @param {number} size */
const randomInputs = (count, size) => (/** @type {string} */ folder) => {
  const bytes = Buffer.allocUnsafe(size);
  const inputs = Array.from({ length: count }, (_, at) => {
    writeFileSync(join(folder, `part-${at}.bin`), randomFillSync(bytes));
    return { name: `data/part-${at}.bin`, content_file: `part-${at}.bin` };
  });
  writeParts(join(folder, "log.json"), inputs, []);
  return "log.json";
};

/** A command that talks to a registry of its own, which ends with it. `leaves`: whether what both wrote stays. @param {Work} work @param {{ storage?: string, folders?: string[], leaves: boolean }} about @param {(host: string) => Command} make @returns {Command} */
function talking(work, { storage, folders = [], leaves }, make) {
  const own = storage ?? work.fresh();
  const registry = startRegistry(own, work.fresh());
  const command = make(registry.host);
  return {
    ...command,
    after: () => {
      registry.stop();
      if (leaves) return;
      // Few files, but large ones: several rounds would not fit on a disk.
      for (const folder of [...folders, ...(storage === undefined ? [own] : [])])
        rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @typedef {object} Sharing
 * @property {string} what
 * @property {(work: Work) => Shared} prepare
 * @property {{ push: number, pull: number }} limits
 * @property {boolean} isSmall many small blobs: all is kept, and what Node takes to start is not counted
 */

/** Push and pull of one pack. @param {Sharing} sharing @returns {Row[]} */
const sharing = ({ what, prepare, limits, isSmall }) => {
  const common = {
    needs: () => missingPrograms("docker-registry", "skopeo"),
    measures: /** @type {const} */ ("time"),
    writes: true,
    rounds: isSmall ? { full: 11, quick: 5 } : { full: 7, quick: 3 },
    prepare,
    ...(isSmall ? { beyond: (/** @type {Work} */ work) => work.node("-e", "0"), beyondFloor: false } : {}),
  };
  const started = isSmall ? " The time of `node -e 0` is subtracted from the subject." : "";
  return [
    {
      name: `ctx push, ${what}`,
      floorName: "skopeo copy",
      limit: limits.push,
      ...common,
      floorDoes: `The floor is \`skopeo copy\` of the same artifact, from a folder, to an empty registry of the same kind; it does not scan for secrets.${started}`,
      subject: (work, { store }) =>
        talking(work, { leaves: isSmall }, (host) =>
          work.ctx(store, "push", "latest", `oci://${host}/bench/runs:good`),
        ),
      floor: (work, { layout, hex }) =>
        talking(work, { leaves: isSmall }, (host) =>
          skopeoCopy(work, `oci:${layout}:${hex}`, `docker://${host}/bench/runs:good`),
        ),
    },
    {
      name: `ctx pull, ${what}`,
      floorName: isSmall ? "skopeo copy, tar -x and sync -f" : "skopeo copy and sync -f",
      limit: limits.pull,
      ...common,
      floorDoes: `The floor is \`skopeo copy\` of the same artifact into a folder${isSmall ? ", `tar -x` of its tars" : ""} and one flush of the file system (\`sync -f\`): the subject is durable when it returns, too.${started}`,
      subject: (work, { filled }) => {
        const store = work.store();
        return talking(work, { storage: filled, folders: [store], leaves: isSmall }, (host) =>
          work.ctx(store, "pull", `oci://${host}/bench/runs:good`),
        );
      },
      floor: (work, { filled, hex, tars }) => {
        const folder = work.fresh();
        const unpack = isSmall ? tars.map((tar) => `tar -x -f '${folder}/l/${tar}' -C '${folder}' && `) : [];
        return talking(work, { storage: filled, folders: [folder], leaves: isSmall }, (host) =>
          skopeoCopy(
            work,
            `docker://${host}/bench/runs:good`,
            `oci:${folder}/l:${hex}`,
            `${unpack.join("")}sync -f '${folder}'`,
          ),
        );
      },
    },
  ];
};

/** @type {Row[]} */
export const sharingRows = [
  ...sharing({
    what: "50 blobs of 10 MB",
    prepare: (work) => shared(work, "50", randomInputs(50, 10e6)),
    limits: { push: 1.2, pull: 1.2 },
    isSmall: false,
  }),
  ...sharing({
    what: "one blob of 500 MB",
    prepare: (work) => shared(work, "1", randomInputs(1, 500e6)),
    limits: { push: 1.2, pull: 1.2 },
    isSmall: false,
  }),
  ...sharing({
    what: "2,000 blobs of 4 KB",
    prepare: (work) => shared(work, "2000", () => work.log({ steps: 2000, stepSize: 4096 })),
    limits: { push: 1.3, pull: 2 },
    isSmall: true,
  }),
];
