// `ctx import`: imports the packs of a bundle, all of them or none.
export { importBundle as importPacks, type ImportOptions } from "../bundle/import-bundle.js";
