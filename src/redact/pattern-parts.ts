// Pieces of patterns that several rules are made of.

/** Quotes as they stand in source, in JSON, in JSON within JSON, and as JSON and HTML may write them. */
export const quote = `(?:\\\\{0,7}["'\`]|\\\\{1,7}u002[27]|&(?:quot|apos|#3[49]|#x2[27]);)`;
/** Escapes of a terminal, as they are or as JSON has them. */
export const colour = `(?:(?:\\u001b|\\\\u001b|\\\\x1b|\\\\e|\\\\033)\\[[\\d;]{0,10}[mK]){0,3}`;
/** Room between parts on one line. */
export const room = `[ \\t]{0,40}`;
/** Room that may hold line ends, also as JSON has them. */
export const lines = `(?:\\s|\\\\[nrt]){0,60}`;
/** What stands between a name and its value; also as Gson (`\\u003d`) and HTML (`&#61;`) write it. */
export const equals = `(?:=>|:=|==?|:|\\uff1a|\\\\{1,7}u003[ad]|&(?:#(?:58|61|x3[ad])|equals|colon);)`;
/** The same with what may close the name before it, and colours. */
export const assigned = `(?:${colour}${quote}?[\\])]{0,2}${room}${equals}${room}${colour})`;
/** A value up to the next quote, space or mark. */
export const value = `(?<secret>[^\\s"'\`\\\\<>{}\\[\\],;&|]{6,2000})`;
/** A value in quotes, with anything in it but quotes; perhaps as the only argument of a call. */
export const quoted = `(?:(?:new )?[A-Za-z_.[\\]]{1,40}\\(${room})?(?:[brfu@$]{0,2})(?<quote>\\\\{0,7}["'\`])(?<secret>(?:(?!\\k<quote>)[^\\\\\\n]|\\\\[^"'\`\\n]){6,4000}?)\\k<quote>`;
/** A value in a quote that ends elsewhere, or not at all: but no sentence. */
export const opened = `[brfu@$]{0,2}${quote}(?=${value})\\k<secret>(?![ \\t]+[A-Za-z(])`;
