// Distinguishes random letters from words and names by their letter pairs.

/**
 * How often each letter follows each other in the words that names in source code and documentation are made
 * of, compared with random letters: row by first letter, column by second, 5 for equally often, one more for
 * each doubling. Counted in this project's own dependencies.
 */
const pairs = [
  "67765462645868165878554452",
  "66656434643633523553511131",
  "75547437626632834647512040",
  "65458432722432535453522030",
  "75786663423768465987354741",
  "54346620700411601434401040",
  "44327145501435511553402020",
  "63037000601332611435300030",
  "75766660213669753677161405",
  "43124101312000300040302000",
  "43226120502202220152202020",
  "73358431803722741255531060",
  "75227010601442660242400020",
  "74777583624425641378552031",
  "45662452524668560866656421",
  "72337225503621651756500040",
  "34313210120312005220500011",
  "84559341704465742576542050",
  "62638336714543664278633140",
  "72538326801532740766503160",
  "55545441500657350666210200",
  "62207100500100410010000020",
  "51015014501104400442001000",
  "30414001400130151015000210",
  "33303120300333350143002011",
  "32005000300100200010000001",
];
const even = 5;

/** Fewer letters than this say too little. */
const minPairs = 12;
const enough = 16;

/**
 * Returns whether the letters of a text form no words. ScanContext one in a hundred random texts with 16
 * letters or more passes for words; more of those with 12 to 15 letters do.
 */
export function hasRandomLetters(text: string): boolean {
  let sum = 0;
  let count = 0;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const second = text.charCodeAt(at);
    if (!isLetter(second)) continue;
    letters++;
    const first = text.charCodeAt(at - 1);
    // At the boundary between two words of a name any pair of letters may occur.
    if (at === 0 || !isLetter(first) || (isLower(first) && !isLower(second))) continue;
    sum += Number(pairs[(first & 31) - 1]?.[(second & 31) - 1]) - even;
    count++;
  }
  return letters >= minPairs && count > 0 && sum / count < (letters < enough ? -0.3 : 0.15);
}

function isLetter(code: number): boolean {
  return isLower(code) || (code >= 65 && code <= 90);
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}
