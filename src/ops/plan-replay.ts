// `ctx replay --plan`: what a replay would execute, and which consents it would need.
export { planReplay, type PlanOptions } from "../replay/prepare-plan.js";
