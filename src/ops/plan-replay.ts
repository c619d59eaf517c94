// `ctx replay --plan`: what a replay would execute, and what it would ask for.
export { planReplay, type PlanOptions } from "../replay/prepare-plan.js";
