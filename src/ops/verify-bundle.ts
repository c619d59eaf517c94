// `ctx verify run.ctx`: verifies the packs of a bundle.
export { unanswered, verifyBundle } from "../verify/bundles.js";
