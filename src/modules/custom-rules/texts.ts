/** Data that an organization sends as it likes, as texts by name. */
const TEXTS_MAX = 100
const TEXT_MAX_CHARS = 512
const LEVELS_MAX = 4

/**
 * A value within another one has the names of both, joined by a dot. Lists are left out. What was not sent
 * is empty, like every other fact.
 */
export function textsOf(value: unknown): ReadonlyMap<string, string> {
  // The library reads instances of Map only, and not those of a subclass.
  const texts = new Map<string, string>()
  add(texts, '', value, LEVELS_MAX)
  texts.get = getOrEmpty
  return texts
}

function getOrEmpty(this: Map<string, string>, name: string): string {
  const stored: unknown = Map.prototype.get.call(this, name)
  return typeof stored === 'string' ? stored : ''
}

function add(texts: Map<string, string>, prefix: string, value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || levels === 0) return
  for (const name in value) {
    if (texts.size >= TEXTS_MAX) return
    const one = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof one === 'object') add(texts, `${prefix}${name}.`, one, levels - 1)
    else
      texts.set(`${prefix}${name}`, `${one as string | number | boolean}`.slice(0, TEXT_MAX_CHARS))
  }
}
