// The time to hash a whole store again.
import { availableParallelism } from "node:os";
import { huge, large } from "./floors.mjs";

/** @typedef {import("../rows.mjs").Row} Row */

/** The whole store, against openssl over the same files. @param {number} count @param {number} size @param {string} text @param {number} limit @returns {Row} */
const verifying = (count, size, text, limit) => ({
  name: `ctx verify --all, ${count.toLocaleString("en")} objects of ${text}`,
  floorName: "openssl on all cores",
  limit,
  measures: "time",
  rounds: count * size > 1e9 ? huge : large,
  floorDoes:
    "The floor is `openssl dgst -sha256 -r` over the same files, in as many processes as there are cores; it compares nothing.",
  prepare: (work) => work.objects(count, size),
  subject: (work, store) => work.ctx(store, "verify", "--all"),
  floor: (work, store) => {
    const cores = availableParallelism();
    const share = Math.ceil(count / cores / 4);
    return work.shell(store, `xargs -0 -P ${cores} -n ${share} openssl dgst -sha256 -r < list > /dev/null`);
  },
});

/** @type {Row[]} */
export const verifyingRows = [
  verifying(50_000, 4096, "4 KB", 1.3),
  verifying(500, 1 << 20, "1 MB", 1.2),
  verifying(5000, 1 << 20, "1 MB", 1.2),
];
