// Building blocks of the patterns of several rules.

/** Quotes in source, in JSON, in JSON within JSON, and as JSON and HTML may escape them. */
export const quote = `(?:\\\\{0,7}["'\`]|\\\\{1,7}u002[27]|&(?:quot|apos|#3[49]|#x2[27]);)`;
/** Terminal escapes, raw or as JSON escapes them. */
export const colour = `(?:(?:\\u001b|\\\\u001b|\\\\x1b|\\\\e|\\\\033)\\[[\\d;]{0,10}[mK]){0,3}`;
/** Blanks between parts on one line. */
export const room = `[ \\t]{0,40}`;
/** Blanks and line ends, also as JSON escapes them. */
export const lines = `(?:\\s|\\\\[nrt]){0,60}`;
/** The mark between a name and its value; also as Gson (`\\u003d`) and HTML (`&#61;`) write it. */
export const equals = `(?:=>|[:?+.|]{1,3}=|==?|:(?!:)|->?(?=[ \\t]{0,4}["'])|\\uff1a|\\\\{1,7}u003[ad]|&(?:#(?:58|61|x3[ad])|equals|colon);)`;
/** The same, with closing marks of the name before it, and colours. */
export const assigned = `(?:${colour}${quote}?[\\])]{0,2}${room}${equals}${room}${colour})`;
/** Blanks behind the mark; a value in quotes may begin on the next line. */
export const roomOrLine = `(?:[ \\t]{0,40}|[ \\t]{0,10}\\\\?(?:\\r?\\n|\\\\n)[ \\t]{1,40}(?=["'\`]))`;
/** A value up to the next quote, space or mark. */
export const value = `(?<secret>[^\\s"'\`\\\\<>{}\\[\\],;&|]{6,2000})`;
/** A value in quotes that contains anything but quotes; perhaps as the only argument of a call. */
export const quoted = `(?:(?:new )?[A-Za-z_.[\\]]{1,40}\\(${room})?(?:[brfu@$]{0,2})(?<quote>\\\\{0,7}(?:["']{3}|["'\`]))(?<secret>(?:(?!\\k<quote>)[^\\\\\\n]|\\\\[^"'\`\\n]){6,4000}?)\\k<quote>`;
/** A value in a quote that ends elsewhere or not at all, and is not a sentence. */
export const opened = `[brfu@$]{0,2}${quote}(?=${value})\\k<secret>(?![ \\t]+[A-Za-z(])`;
