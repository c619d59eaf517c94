// Pieces of patterns that several rules are made of.

/** Quotes as they stand in source, in JSON, and in JSON within JSON. */
const quote = `(?:\\\\{0,7}["'\`])`;
/** Escapes of a terminal, as they are or as JSON has them. */
export const colour = `(?:(?:\\u001b|\\\\u001b|\\\\x1b|\\\\e|\\\\033)\\[[\\d;]{0,10}m)?`;
/** What stands between a name and its value. */
export const assigned = `(?:${colour}${quote}?[ \\t]{0,40}(?:=>|:=|==?|:)[ \\t]{0,40}${colour}(?:[brf]?${quote})?)`;
/** A value up to the next quote, space or mark. */
export const value = `(?<secret>[^\\s"'\`\\\\<>{}\\[\\],;&|]{6,512})`;
