// Credentials for tests, assembled here so that no file contains one. None was ever valid.
export const githubToken = (letter = "x"): string => `ghp_${`${letter}B3d`.repeat(9)}`;
export const password = "Tulp-Molen2023";
export const spoken = "Bl!ksem88";
export const connection = ["postgres://ana:", "s3cr3t-Q8xk", "@db.internal/app"].join("");

/** Secrets that must be found nowhere. */
export const secrets = [githubToken(), githubToken("y"), password, spoken, "s3cr3t-Q8xk"];
