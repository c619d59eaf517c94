// The machine that the figures were measured on.
import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";

/**
 * @typedef {object} Machine
 * @property {number} cores
 * @property {string} cpu
 * @property {string} fileSystem
 * @property {string} kernel
 * @property {string} node
 * @property {boolean} busy whether other programs were at work when the run began
 */

/** @param {string} folder the folder that was worked in @returns {Machine} */
export function describeMachine(folder) {
  const cores = availableParallelism();
  return {
    cores,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    fileSystem: fileSystemOf(folder),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    busy: /** @type {number} */ (loadavg()[0]) > cores / 2,
  };
}

/** Returns the kind of file system, from the deepest mount that holds the folder. @param {string} folder */
function fileSystemOf(folder) {
  const path = realpathSync(folder);
  let deepest = { point: "", kind: "unknown" };
  try {
    for (const mount of readFileSync("/proc/self/mounts", "utf8").split("\n")) {
      const [, escaped = "", kind = ""] = mount.split(" ");
      const point = escaped.replaceAll("\\040", " ");
      const holds = path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`);
      // Of two mounts at one path the later one is visible.
      if (holds && point.startsWith("/") && point.length >= deepest.point.length) deepest = { point, kind };
    }
  } catch {
    // Not Linux.
  }
  return deepest.kind;
}
