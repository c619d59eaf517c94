// Loaded by vitest before every test file.
import { afterAll } from "vitest";
import { endAll } from "../dev/endings.js";

afterAll(endAll);
