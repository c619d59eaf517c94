// Why: the corpus must come out the same, byte for byte, on every machine: a small seeded generator
// (xmur3 for the seed, sfc32 for the numbers), and the few encodings that token formats need.

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();

export const ALPHABET = {
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  lower: LOWER + DIGITS,
  upper: UPPER + DIGITS,
  letters: UPPER + LOWER,
  base62: DIGITS + UPPER + LOWER,
  base32: `${UPPER}234567`,
  base36: DIGITS + LOWER,
  base58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  base64: `${UPPER}${LOWER}${DIGITS}+/`,
  url: `${UPPER}${LOWER}${DIGITS}-_`,
  bech32: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
};

const WORDS =
  "amber basin cedar delta ember fjord grove harbor island jasper kettle lantern meadow nickel orchid pebble quartz raven saddle timber umber velvet willow yonder zephyr anchor beacon copper dune".split(
    " ",
  );

function seedNumbers(text) {
  let h = 1779033703 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 3432918353);
    h = (h << 13) | (h >>> 19);
  }
  return () => {
    h = Math.imul(h ^ (h >>> 16), 2246822507);
    h = Math.imul(h ^ (h >>> 13), 3266489909);
    h ^= h >>> 16;
    return h >>> 0;
  };
}

/** Returns a generator that returns the same numbers for the same seed text. */
export function random(seed) {
  const next = seedNumbers(seed);
  let [a, b, c, d] = [next(), next(), next(), next()];
  const uint = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  };
  for (let i = 0; i < 15; i++) uint();

  const int = (n) => Math.floor((uint() / 4294967296) * n);
  const pick = (list) => list[int(list.length)];
  const chars = (alphabet, n) => Array.from({ length: n }, () => alphabet[int(alphabet.length)]).join("");
  const bytes = (n) => Buffer.from(Array.from({ length: n }, () => int(256)));
  const hex = (n) => chars(ALPHABET.hex, n);
  return {
    int,
    pick,
    chars,
    bytes,
    hex,
    digits: (n) => chars("123456789", 1) + chars(DIGITS, n - 1),
    base62: (n) => chars(ALPHABET.base62, n),
    url: (n) => chars(ALPHABET.url, n - 1) + chars(ALPHABET.base62, 1),
    base64: (n) => bytes(n).toString("base64"),
    base64url: (n) => bytes(n).toString("base64url"),
    word: () => pick(WORDS),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(["8", "9", "a", "b"])}${hex(3)}-${hex(12)}`,
    time: () =>
      `2026-0${1 + int(9)}-${10 + int(18)}T${10 + int(13)}:${10 + int(49)}:${10 + int(49)}.${100 + int(899)}Z`,
    /** A made-up password: letters of both cases, digits and a sign, as managers make them. */
    password: (n = 16, signs = "!#%*+-.^_~") =>
      chars(ALPHABET.base62, n - 5) + chars(UPPER, 1) + chars(DIGITS, 1) + chars(signs, 1) + chars(LOWER, 2),
  };
}

/** CRC-32 (IEEE), as GitHub, npm, Grafana and Atlassian use it. */
export function crc32(text) {
  let crc = -1;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ -1) >>> 0;
}

/** Returns the number in the digits of an alphabet, padded on the left with its zero. */
export function inBase(number, alphabet, width) {
  let text = "";
  for (let n = number; n > 0; n = Math.floor(n / alphabet.length))
    text = alphabet[n % alphabet.length] + text;
  return text.padStart(width, alphabet[0]);
}

/** CRC-24 of RFC 4880, for the last line of PGP armor. */
export function crc24(buffer) {
  let crc = 0xb704ce;
  for (const byte of buffer) {
    crc ^= byte << 16;
    for (let k = 0; k < 8; k++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return crc & 0xffffff;
}

/** Text cut into lines of a width. */
export function fold(text, width) {
  const lines = [];
  for (let i = 0; i < text.length; i += width) lines.push(text.slice(i, i + width));
  return lines;
}
