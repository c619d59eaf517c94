/** Splits a list into pages of `size` items. */
export function pages(items, size) {
  const result = [];
  for (let start = 0; start < items.length; start += size) {
    result.push(items.slice(start, start + size));
  }
  return result;
}
