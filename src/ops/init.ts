// `ctx init`: makes a store.
import type { InitResult } from "../model/results.js";
import { initStore } from "../store/init.js";

export function init(folder: string): InitResult {
  const { root, created } = initStore(folder);
  return { store: root, created };
}
