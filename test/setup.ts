// Loaded by vitest before every test file.
import { afterAll } from "vitest";
import { endAll } from "./support/endings.js";

afterAll(endAll);
