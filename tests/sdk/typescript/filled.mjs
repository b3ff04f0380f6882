// Fills in what an earlier step of a vector kept.

/** Replaces `${name}` in every string by what was kept under the name. */
export function filled(value, kept) {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)\}/g, (_, name) => {
      if (!(name in kept)) throw new Error(`nothing was kept as ${name}`);
      return kept[name];
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, kept));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, kept)]));
  }
  return value;
}
